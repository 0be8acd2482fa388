// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/protocol/wire/format.hpp"
#include "switch-models/rmt/declaration.hpp"
#include "switch-models/rmt/verdict.hpp"

namespace ina::systems {

/// What becomes of a packet, and with which verdict.
struct Outcome {
  std::string of;
  rmt::Verdict verdict;
};

/// A data-plane program with the sizes of its packets, for what places it on a chip.
struct DataPlane {
  std::string name;
  std::function<rmt::Declaration(std::size_t aggregators)> declare;
  std::size_t aggregator_bytes;  ///< of its values
  std::size_t values;            ///< of a packet
  std::uint16_t frame_bytes;
  Outcome absorbed;    ///< every packet of a task but the last
  Outcome completing;  ///< the last one
  std::vector<Outcome> others;
  /// At a leaf the last packet of a task goes up, at the same cost as an answer; this comes down.
  Outcome result_at_leaf;
};

/// Of ATP and DSA, without the declaration.
DataPlane data_plane_of_fragments(wire::Format format, std::string name);

}  // namespace ina::systems
