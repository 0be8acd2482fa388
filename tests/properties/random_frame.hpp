// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/values.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "tests/support/random.hpp"

namespace ina::testing {

/// A frame with `width` values and random fields. There are few jobs (job 3 is unknown), PSNs and
/// workers, so that frames collide. Gradients are more frequent than other kinds.
inline Frame draw_frame(Random& random, ValuePool& pool, std::size_t width,
                        std::uint32_t last_aggregator, wire::Format format = wire::Format::dsa) {
  Frame frame;
  frame.fields = wire::fields_of(format);
  frame.values = pool.take();
  for (std::size_t i = 0; i < width; ++i) {
    frame.values.data()[i] = static_cast<std::int32_t>(random.bits());
  }
  frame.kind = static_cast<FrameKind>(random.percent(60) ? 1U : random.between(1, 6));
  frame.flags = static_cast<std::uint8_t>(random.percent(50) ? 0U : random.bits() & 0xffU);
  frame.job = static_cast<JobId>(random.between(0, 3));
  frame.psn = random.between(0, 3);
  frame.worker = static_cast<std::uint16_t>(random.between(0, 4));
  const std::uint32_t index = random.between(0, last_aggregator);
  AggregatorFields fields{.index = index, .bitmap0 = 1U << random.between(0, 3)};
  fields.bitmap1 = 1U << random.between(0, 3);
  fields.fan_in_degree0 = static_cast<std::uint8_t>(random.between(1, 4));
  fields.fan_in_degree1 = static_cast<std::uint8_t>(random.between(1, 4));
  fields.priority = static_cast<std::uint16_t>(random.between(0, 20));
  if (format == wire::Format::switchml) {
    frame.switchml() = {.slot = index, .version = (frame.flags & 16U) != 0};
  } else {
    frame.aggregator() = fields;
  }
  frame.destination = random.percent(20) ? kAllWorkers : HostId{9};
  return frame;
}

}  // namespace ina::testing
