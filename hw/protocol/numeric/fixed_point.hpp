// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "hw/protocol/numeric/quantise_status.hpp"

/// Fixed point: float32 <-> int32 with one scale for all values (ATP 3.8; SwitchML arXiv v1, 3.7
/// and appendix C). A scale is a number of integer units per 1.0.
namespace ina::numeric {

/// ATP's scale: seven decimal digits, independent of the number of workers (ATP 3.8, B.1).
inline constexpr double atp_scale = 1e8;

/// SwitchML's scale (2^31 - n) / (n B): the largest scale with which a sum over `workers`
/// cannot overflow if no magnitude exceeds `bound` (theorem 2). Throws
/// std::invalid_argument unless workers >= 1 and bound is positive and finite and the scale
/// is finite.
[[nodiscard]] double switchml_scale(std::uint32_t workers, double bound);

/// The bound B = (2^31 - n) / (n s) of theorem 2: up to this magnitude of values, no sum overflows
/// at `scale` (ATP B.1: about 0.2 for 100 workers at 1e8). Throws like switchml_scale().
[[nodiscard]] double overflow_bound(std::uint32_t workers, double scale);

/// The upper bound n / s on the error of a sum over `workers` at `scale` (theorem 1). quantise()
/// rounds to nearest: its error is below (0.5 + 2^-22) n / s. Throws like switchml_scale().
[[nodiscard]] double error_bound(std::uint32_t workers, double scale);

/// out[i] = in[i] * scale, rounded to the nearest integer, ties to even.
///
/// The product is computed in double. It is exact if the scale has at most 29 significant bits
/// (ATP's has 19). Otherwise its error before rounding is below 2^-22 units. Denormals are ordinary
/// values (they become 0 at any scale below 2^125); -0 becomes 0.
///
/// A product beyond INT32_MAX or INT32_MIN saturates and is counted. If a value is NaN or infinite,
/// nothing is converted, `out` is unchanged, and the status reports the value's index.
///
/// Throws std::invalid_argument if the sizes differ or the scale is not positive and finite. The
/// arrays must not overlap.
[[nodiscard]] QuantiseStatus quantise(std::span<const float> in, double scale,
                                      std::span<std::int32_t> out);

/// out[i] = in[i] / scale, divided in double, rounded to the nearest float. `in` is the sum of a
/// fragment; the training framework divides it by the number of workers. Denormals are kept, a
/// quotient beyond FLT_MAX becomes an infinity, and 0 becomes +0. INT32_MAX and INT32_MIN are
/// converted like any other value, so call any_saturated() first. Throws like quantise(). The
/// arrays must not overlap.
void dequantise(std::span<const std::int32_t> in, double scale, std::span<float> out);

}  // namespace ina::numeric
