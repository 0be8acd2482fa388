// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

/// The fields of a gradient that MemberTable::admits() checks in a job with at most one server. Two
/// gradients with equal keys are either both admitted or both refused. All packets of a worker that
/// are not retransmissions have the same key, so one check serves many packets.
class AdmissionKey {
 public:
  AdmissionKey() = default;
  explicit AdmissionKey(const Frame& frame)
      : ends_(frame.job | std::uint64_t{frame.worker} << 16 | std::uint64_t{frame.source} << 32 |
              std::uint64_t{frame.destination} << 48),
        kind_(static_cast<std::uint32_t>(frame.kind) | std::uint32_t{frame.flags} << 8) {
    if (const auto* const fields = std::get_if<AggregatorFields>(&frame.fields)) {
      bitmaps_ = fields->bitmap0 | std::uint64_t{fields->bitmap1} << 32;
      kind_ |= std::uint32_t{fields->fan_in_degree0} << 16 | std::uint32_t{fields->fan_in_degree1}
                                                                 << 24;
    }
  }

  friend bool operator==(const AdmissionKey&, const AdmissionKey&) = default;

 private:
  std::uint64_t bitmaps_ = 0;
  std::uint64_t ends_ = 0;
  std::uint32_t kind_ = 0;  // not the kind of any frame
};

}  // namespace ina::programs
