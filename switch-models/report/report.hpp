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

/// What further passes take, if tasks of `workers` packets fill all ports.
struct PassLoad {
  double passes_per_packet;
  double pipeline_share;      ///< of the passes that the pipelines can do; above 1 they limit
  double resubmitted_share;   ///< bytes resubmitted per byte that arrives
  double recirculated_share;  ///< bytes recirculated per byte that arrives
  double ports_left;          ///< front-panel ports, if the others are looped back
};
/// At a job's only switch, or at its root with as many branches.
PassLoad load_of(const systems::DataPlane& plane, unsigned workers, const rmt::Chip& chip);
/// At a leaf with as many workers below, to which a result comes for each task, too.
PassLoad load_of_leaf(const systems::DataPlane& plane, unsigned workers, const rmt::Chip& chip);

struct Report {
  systems::DataPlane plane;
  const rmt::Chip* chip;
  std::uint64_t memory_bytes;
  unsigned workers;
  std::size_t aggregators;
  std::size_t most_aggregators;
  rmt::Placement placement;
  std::vector<rmt::StageUse> compiled = {};  ///< of its P4 program; empty: none
};

/// The caller knows what setting gives their number.
class TooManyAggregators : public rmt::DoesNotFit {
 public:
  TooManyAggregators(const std::string& why, std::size_t allowed)
      : DoesNotFit(why), most(allowed) {}
  const std::size_t most;
};

/// Throws TooManyAggregators, or DoesNotFit if no number of them fits.
rmt::Placement placement_of(const systems::DataPlane& plane, std::size_t aggregators,
                            const rmt::Chip& chip);

/// Throws DoesNotFit, with the memory that is allowed.
Report make(const systems::DataPlane& plane, std::uint64_t memory_bytes, unsigned workers,
            const rmt::Chip& chip);

std::string text_of(const Report& report);
/// The mark of json_of().
inline constexpr const char* kWriter = "ina switch report --json";
/// For the figure, as a file on request (hw/files/requested_file.hpp).
std::string json_of(const Report& report);

}  // namespace ina::report
