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

/// An outcome of processing a packet, and its verdict.
struct Outcome {
  std::string of;
  rmt::Verdict verdict;
};

/// A data-plane program with the sizes of its packets, as needed to place it on a chip.
struct DataPlane {
  std::string name;
  std::function<rmt::Declaration(std::size_t aggregators)> declare;
  std::size_t aggregator_bytes;  ///< size of the aggregator's values
  std::size_t values;            ///< per packet
  std::uint16_t frame_bytes;
  Outcome absorbed;    ///< every packet of a task except the last
  Outcome completing;  ///< the last packet of a task
  std::vector<Outcome> others;
  /// A result that arrives at a leaf. The last packet of a task goes up from there at the cost of
  /// an answer.
  Outcome result_at_leaf;
};

/// The data plane of ATP or DSA, without the declaration.
DataPlane data_plane_of_fragments(wire::Format format, std::string name);

}  // namespace ina::systems
