// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/declaration.hpp"
#include "switch-models/rmt/placement.hpp"
#include "switch-models/rmt/verdict.hpp"
#include "switch-models/systems/data_plane.hpp"

namespace ina::report {

/// Load that further passes cause if packets arrive at line rate at all ports.
struct PassLoad {
  double passes_per_packet;
  double pipeline_share;            ///< passes per capacity of the pipelines; above 1 the pipelines
                                    ///< are the bottleneck
  double resubmitted_share;         ///< bytes resubmitted per byte that arrives
  double recirculated_share;        ///< bytes recirculated per byte that arrives
  unsigned hosts_without_loopback;  ///< ports of a pipe that hosts may fill if packets come back by
                                    ///< the pipe's own port only
  unsigned looped_ports;  ///< ports of a pipe that must be in loopback if hosts fill all others
};
/// Load at a job's only switch with `workers` workers, or at its root with `workers` branches.
PassLoad load_of(const systems::DataPlane& plane, unsigned workers, const rmt::Chip& chip);
/// Load at a leaf with `workers` workers. A leaf also receives one result for each task.
PassLoad load_of_leaf(const systems::DataPlane& plane, unsigned workers, const rmt::Chip& chip);

struct Report {
  systems::DataPlane plane;
  const rmt::Chip* chip;
  std::uint64_t memory_bytes;
  unsigned workers;
  std::size_t aggregators;
  std::size_t most_aggregators;
  rmt::Placement placement;
  std::vector<rmt::StageUse> compiled = {};  ///< use by the compiled P4; empty if there is none
};

/// Says how many aggregators fit. The caller knows which setting determines the number.
class TooManyAggregators : public rmt::DoesNotFit {
 public:
  TooManyAggregators(const std::string& why, std::size_t allowed)
      : DoesNotFit(why), most(allowed) {}
  const std::size_t most;
};

/// Throws TooManyAggregators, or DoesNotFit if no number of aggregators fits.
rmt::Placement placement_of(const systems::DataPlane& plane, std::size_t aggregators,
                            const rmt::Chip& chip);

/// Throws DoesNotFit if the memory is too large. The message names the memory that is allowed.
Report make(const systems::DataPlane& plane, std::uint64_t memory_bytes, unsigned workers,
            const rmt::Chip& chip);

std::string text_of(const Report& report);
/// Marks a file as output of json_of().
inline constexpr const char* kWriter = "ina switch report --json";
/// The report as the JSON from which the figure is drawn. Use hw/files/requested_file.hpp to write
/// it to the file that the user named.
std::string json_of(const Report& report);

}  // namespace ina::report
