// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina {

inline constexpr double kPsPerS = 1e12;
inline constexpr std::uint64_t kBitsPerByte = 8;
/// Size of one value of a gradient, an int32 or a float, in a packet, in a register and in a model.
inline constexpr std::uint64_t kBytesPerValue = 4;

}  // namespace ina
