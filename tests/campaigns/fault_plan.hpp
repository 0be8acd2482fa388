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

/// One kind of trouble on the links of some hosts, each direction on its own.
struct LinkFault {
  std::optional<HostId> host;  ///< nothing: all
  bool up = true;
  bool down = true;
  faults::LinkFaults::Config config;
};

struct NodeStrike {
  faults::NodeFault kind = faults::NodeFault::worker_pauses;
  std::uint64_t at_frame = 0;  ///< strikes after N frames have come to the switch
  Time length{};               ///< until it goes on, is back, or is given up
  std::uint32_t job = 0;       ///< which, in the order of the cluster
  std::uint16_t rank = 0;      ///< of a reboot: decides which switch
};

/// The cluster, as far as faults need to know it.
struct Crew {
  std::vector<std::uint16_t> workers;  ///< by job
  std::uint32_t hosts = 0;
  std::uint64_t fragments = 0;  ///< gradient packets of a run without faults
};

struct FaultPlan {
  std::vector<LinkFault> links;
  std::vector<NodeStrike> nodes;  ///< in the order of at_frame

  /// Whether a copy may reach the switch when its task is complete, and reserve an aggregator that
  /// nobody knows of (hw/protocol/CORRECTNESS.md).
  bool copies_may_be_late() const;
};

FaultPlan draw_fault_plan(testing::SystemId system, const Crew& crew, testing::Random& random);

/// A stage that is off in most runs. The others have published or random costs, and often queues so
/// short that packets are lost.
cluster::HostStage::Config draw_host_stage(testing::Random& random);

/// `host`: the name of the one it concerns, if it does not concern all.
std::string in_words(const LinkFault& fault, const std::string& host);
std::string in_words(const NodeStrike& fault);
std::string in_words(const cluster::HostStage::Config& stage);

}  // namespace ina::campaigns
