// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/data_plane.hpp"

#include <utility>

#include "hw/protocol/wire/frame.hpp"
#include "switch-models/programs/value_passes.hpp"

namespace ina::systems {

DataPlane data_plane_of_fragments(wire::Format format, std::string name, std::size_t values) {
  const std::uint16_t bytes = frame_bytes(format, values);
  return {
      .name = std::move(name),
      .declare = {},
      .aggregator_bytes = sizeof(std::int32_t) * values,
      .values = values,
      .frame_bytes = bytes,
      .absorbed = {"is absorbed", programs::kAbsorbed},
      .completing = {"completes a task", programs::with_sums(rmt::Verdict::Exit::forward, bytes)},
      .others = {{"falls back", rmt::kForward}},
      .result_at_leaf = {"is a result", rmt::kMulticast}};
}

}  // namespace ina::systems
