// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/float_sum.hpp"

#include <bit>

namespace ina::numeric {

void sum_floats(std::span<const std::int32_t* const> parts, std::int32_t* out,
                std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    double sum = std::bit_cast<float>(parts.front()[i]);
    for (const std::int32_t* part : parts.subspan(1)) sum += double{std::bit_cast<float>(part[i])};
    out[i] = std::bit_cast<std::int32_t>(static_cast<float>(sum));
  }
}

}  // namespace ina::numeric
