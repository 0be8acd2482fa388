// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "hw/protocol/numeric/quantise_status.hpp"

/// IEEE 754 binary16 ("half") in packets, and the switch's arithmetic on it. In SwitchML (arXiv v1,
/// 3.7) the switch converts each half to 32-bit fixed point with lookup tables, adds, and converts
/// the sum back. A half is stored as its 16 bits in a std::uint16_t in host byte order.
namespace ina::numeric {

/// Maximum fraction bits of half_to_fixed(). The smallest positive half, 2^-24, is then one unit.
inline constexpr int max_half_fraction_bits = 24;
/// Maximum fraction bits with which every finite half fits an int32.
inline constexpr int safe_half_fraction_bits = 15;

/// out[i] = the half nearest to in[i], ties to even; the result may be a denormal half. A finite
/// value of magnitude 65520 or more becomes an infinity (IEEE 754) and is counted as saturated. A
/// value of magnitude at most 2^-25, such as a denormal float, becomes a zero. Signs are kept, also
/// of zeros. Infinities stay infinities, and a NaN stays a NaN with an unspecified payload. The
/// status reports the index of the first infinity or NaN, but all values are converted. Throws
/// std::invalid_argument if the sizes differ.
QuantiseStatus float_to_half(std::span<const float> in, std::span<std::uint16_t> out);

/// out[i] = in[i], exactly, including denormals, zeros of either sign and infinities; a NaN remains
/// a NaN. Throws std::invalid_argument if the sizes differ.
void half_to_float(std::span<const std::uint16_t> in, std::span<float> out);

/// The switch's input conversion: out[i] = in[i] * 2^fraction_bits, rounded to the nearest integer,
/// ties to even. A result beyond int32 saturates and is counted. Denormals are ordinary values; -0
/// becomes 0. Like quantise(), it converts nothing if a value is NaN or infinite. A sum over n
/// workers fits if n * 2^fraction_bits * largest magnitude < 2^31; workers scale accordingly (3.7).
/// Throws std::invalid_argument if the sizes differ or fraction_bits is not in 0 ... 24.
[[nodiscard]] QuantiseStatus half_to_fixed(std::span<const std::uint16_t> in, int fraction_bits,
                                           std::span<std::int32_t> out);

/// The switch's output conversion: out[i] = the half nearest to in[i] / 2^fraction_bits, ties to
/// even, rounded once. Produces denormal halves, and infinities from 65520 on. Throws like
/// half_to_fixed().
void fixed_to_half(std::span<const std::int32_t> in, int fraction_bits,
                   std::span<std::uint16_t> out);

}  // namespace ina::numeric
