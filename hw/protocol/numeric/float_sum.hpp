// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ina::numeric {

/// Sums float32 arrays whose bits are stored in int32 (as in Values). The sum is computed in double
/// in the order of `parts` and rounded a single time, to the nearest float. The same parts in the
/// same order therefore give the same bits. For n parts
///
///     |out[i] - sum| <= 2^-24 |sum| + n 2^-53 (|x_1| + ... + |x_n|) + 2^-150.
///
/// A sum beyond FLT_MAX is an infinity; infinities and NaN are added as in IEEE 754. `out` may be
/// one of the parts. There must be at least one part.
void sum_floats(std::span<const std::int32_t* const> parts, std::int32_t* out,
                std::size_t count) noexcept;

}  // namespace ina::numeric
