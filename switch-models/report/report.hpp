// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/join_priority.hpp"
#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/declaration.hpp"
#include "switch-models/rmt/placement.hpp"
#include "switch-models/rmt/verdict.hpp"

namespace ina::report {

/// What becomes of a packet, and with which verdict.
struct Outcome {
  std::string of;
  rmt::Verdict verdict;
};

/// A data-plane program with the sizes of its packets.
struct System {
  std::string name;
  std::function<rmt::Declaration(std::size_t aggregators)> declare;
  std::size_t aggregator_bytes;  ///< of its values
  std::size_t values;            ///< of a packet
  std::uint16_t frame_bytes;
  Outcome absorbed;    ///< every packet of a task but the last
  Outcome completing;  ///< the last one
  std::vector<Outcome> others;
};

/// SwitchML with 32, 64 or 256 values in a packet, ATP, and DSA with a collision policy.
System switchml(std::size_t values, bool collects_marks = false);
System atp();
System dsa(policies::CollisionPolicy policy,
           programs::JoinPriority join = programs::JoinPriority::keep);

/// What further passes take, if tasks of `workers` packets fill all ports.
struct PassLoad {
  double passes_per_packet;
  double pipeline_share;      ///< of the passes that the pipelines can do; above 1 they limit
  double resubmitted_share;   ///< bytes resubmitted per byte that arrives
  double recirculated_share;  ///< bytes recirculated per byte that arrives
  double ports_left;          ///< front-panel ports, if the others are looped back
};
PassLoad load_of(const System& system, unsigned workers, const rmt::Chip& chip);

struct Report {
  System system;
  const rmt::Chip* chip;
  std::uint64_t memory_bytes;
  unsigned workers;
  std::size_t aggregators;
  std::size_t most_aggregators;
  rmt::Placement placement;
  std::vector<rmt::StageUse> compiled = {};  ///< of its P4 program; empty: none
};

/// Throws DoesNotFit, with the most aggregators that do.
rmt::Placement place(const System& system, std::size_t aggregators, const rmt::Chip& chip);

/// Throws as place().
Report make(const System& system, std::uint64_t memory_bytes, unsigned workers,
            const rmt::Chip& chip);

std::string text_of(const Report& report);
/// The mark of json_of().
inline constexpr const char* kWriter = "ina switch report --json";
/// For the figure, as a file on request (hw/files/requested_file.hpp).
std::string json_of(const Report& report);

}  // namespace ina::report
