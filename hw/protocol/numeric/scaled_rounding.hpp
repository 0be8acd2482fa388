// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// The loops behind fixed_point.hpp and block_floating_point.hpp. They calculate in double, since a
/// product in float would be off by up to 64 units near the limits of int32, against the one unit
/// that SwitchML's theorem 1 allows; in float, two to four times as fast with AVX2, where the
/// factor is a power of two, so that the product is exact. They assume the default rounding mode of
/// IEEE 754.
namespace ina::numeric {

/// The index of the first NaN or infinity, if there is one.
[[nodiscard]] std::optional<std::size_t> first_non_finite(std::span<const float> values) noexcept;

/// out[i] = in[i] * scale, clamped to low ... high, then rounded to the nearest integer, ties to
/// even. Returns how many integers would have been beyond the clamp. All in[i] are finite;
/// INT32_MIN <= low <= high <= INT32_MAX, both integers; the arrays are disjoint.
std::size_t scale_and_round(const float* in, double scale, double low, double high,
                            std::int32_t* out, std::size_t count) noexcept;

/// The same with a scale that is a power of two, for products of magnitude less than 2^31.
void scale_by_power_of_two_and_round(const float* in, float scale, std::int32_t* out,
                                     std::size_t count) noexcept;

/// out[i] = in[i] / divisor in double, rounded to the nearest float. The arrays are disjoint.
void divide(const std::int32_t* in, double divisor, float* out, std::size_t count) noexcept;

/// out[i] = in[i] * factor in double, rounded to the nearest float. The arrays are disjoint.
void multiply(const std::int32_t* in, double factor, float* out, std::size_t count) noexcept;

/// The same with a factor that is a power of two and no denormal.
void multiply_by_power_of_two(const std::int32_t* in, float factor, float* out,
                              std::size_t count) noexcept;

}  // namespace ina::numeric
