// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ina::numeric {

/// The sum of float32 arrays, whose bits stand in int32 (as in Values): added in double in the
/// order of `parts`, rounded once to the nearest float. Hence the same bits from the same parts in
/// the same order, and for n parts
///
///     |out[i] - sum| <= 2^-24 |sum| + n 2^-53 (|x_1| + ... + |x_n|) + 2^-150.
///
/// A sum beyond FLT_MAX is an infinity; infinities and NaN are added as IEEE 754 says. `out` may be
/// one of the parts. There must be at least one.
void sum_floats(std::span<const std::int32_t* const> parts, std::int32_t* out,
                std::size_t count) noexcept;

}  // namespace ina::numeric
