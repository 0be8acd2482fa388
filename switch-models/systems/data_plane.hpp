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

/// The verdict of a program on one kind of packet. `of` describes this kind.
struct Outcome {
  std::string of;
  rmt::Verdict verdict;
};

/// A data-plane program with the sizes of its packets: what is needed to place it on a chip.
struct DataPlane {
  std::string name;
  std::function<rmt::Declaration(std::size_t aggregators)> declare;
  std::size_t aggregator_bytes;  ///< size of the values of one aggregator
  std::size_t values;            ///< values per packet
  std::uint16_t frame_bytes;
  Outcome absorbed;    ///< every packet of a task except the last
  Outcome completing;  ///< the last packet of a task
  std::vector<Outcome> others;
  /// A result that arrives at a leaf. The packet that takes a leaf's sum to the root costs as much
  /// as `completing`.
  Outcome result_at_leaf;
};

/// The data plane of ATP or DSA, for that many values per packet. The caller must set `declare`.
DataPlane data_plane_of_fragments(wire::Format format, std::string name, std::size_t values);

}  // namespace ina::systems
