// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// The loops of fixed_point.hpp and block_floating_point.hpp. In general they compute in double: a
/// product in float would be off by up to 64 units near the limits of int32, while SwitchML's
/// theorem 1 allows one unit. If the factor is a power of two, a product in float is exact. The
/// loops for such factors compute in float, which is two to four times as fast with AVX2. All loops
/// assume the default rounding mode of IEEE 754.
namespace ina::numeric {

/// Index of the first NaN or infinity, if there is one.
[[nodiscard]] std::optional<std::size_t> first_non_finite(std::span<const float> values) noexcept;

/// out[i] = in[i] * scale, clamped to low ... high, then rounded to the nearest integer, ties to
/// even. Returns the number of integers beyond the clamp. All in[i] must be finite; INT32_MIN <=
/// low <= high <= INT32_MAX, both integers; the arrays must be disjoint.
std::size_t scale_and_round(const float* in, double scale, double low, double high,
                            std::int32_t* out, std::size_t count) noexcept;

/// Like scale_and_round() for a scale that is a power of two, and products of magnitude below 2^31.
void scale_by_power_of_two_and_round(const float* in, float scale, std::int32_t* out,
                                     std::size_t count) noexcept;

/// out[i] = in[i] / divisor in double, rounded to the nearest float. The arrays must be disjoint.
void divide(const std::int32_t* in, double divisor, float* out, std::size_t count) noexcept;

/// out[i] = in[i] * factor in double, rounded to the nearest float. The arrays must be disjoint.
void multiply(const std::int32_t* in, double factor, float* out, std::size_t count) noexcept;

/// Like multiply() for a factor that is a power of two and not denormal.
void multiply_by_power_of_two(const std::int32_t* in, float factor, float* out,
                              std::size_t count) noexcept;

}  // namespace ina::numeric
