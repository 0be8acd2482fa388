// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/cluster/faults/link_faults.hpp"
#include "hw/cluster/faults/node_faults.hpp"
#include "hw/cluster/network/host_stage.hpp"
#include "tests/support/cluster_parts.hpp"
#include "tests/support/star_network.hpp"

namespace ina::campaigns {

/// Faults on the link of one host or on those of all hosts. Directions are independent.
struct LinkFault {
  std::optional<HostId> host;  ///< empty: all hosts
  bool up = true;
  bool down = true;
  faults::LinkFaults::Config config;
};

struct NodeStrike {
  faults::NodeFault kind = faults::NodeFault::worker_pauses;
  std::uint64_t at_frame = 0;  ///< number of frames at switches before the fault
  Time length{};               ///< until the node resumes or returns, or until the job fails
  std::uint32_t job = 0;       ///< index of the job in the cluster
  std::uint16_t rank = 0;      ///< selects the switch of a reboot
};

/// Properties of the cluster that fault plans depend on.
struct Crew {
  std::vector<std::uint16_t> workers;  ///< by job
  std::uint32_t hosts = 0;
  std::uint64_t fragments = 0;  ///< gradient packets in a run without faults
};

struct FaultPlan {
  std::vector<LinkFault> links;
  std::vector<NodeStrike> nodes;  ///< sorted by at_frame

  /// Whether a copy may reach the switch after its task is complete and reserve an aggregator that
  /// no host tracks (hw/protocol/CORRECTNESS.md).
  bool copies_may_be_late() const;
};

FaultPlan draw_fault_plan(testing::SystemId system, const Crew& crew, testing::Random& random);

/// Draws a host stage. In most runs it is off. In the others it has published or random costs, and
/// often queues so short that packets are lost.
cluster::HostStage::Config draw_host_stage(testing::Random& random);

/// `host`: name of the host that the fault concerns; empty for all hosts.
std::string in_words(const LinkFault& fault, const std::string& host);
std::string in_words(const NodeStrike& fault);
std::string in_words(const cluster::HostStage::Config& stage);

}  // namespace ina::campaigns
