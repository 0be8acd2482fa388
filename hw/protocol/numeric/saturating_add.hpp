// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Sums of int32 arrays: the fast path of the switch programs and of the parameter servers.
///
/// Rules for all functions here:
/// - Any count is allowed, also 0 (pointers may then be null).
/// - No padding is read or written.
/// - Pointers need only the alignment of int32 (64-byte aligned arrays are slightly faster).
/// - An output is one of the inputs, or overlaps with none of them.
/// - There are no errors.
namespace ina::numeric {

/// into[i] = clamp(into[i] + values[i]): a sum out of range becomes INT32_MAX or INT32_MIN, as in
/// the stateful ALU of a Tofino (ATP 3.8). NOT sticky: INT32_MAX + (-5) leaves the limit again,
/// which hides the overflow. ATP's aggregators therefore need add_sticky().
void add_saturating(std::int32_t* into, const std::int32_t* values, std::size_t count) noexcept;
/// out[i] = clamp(a[i] + b[i]).
void add_saturating(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                    std::size_t count) noexcept;

/// Like add_saturating(), but a value at a limit of int32 stays there, whatever is added (ATP 3.8:
/// "the value remains saturated"). A limit in `values` (a saturated partial sum from the level
/// below, or a worker's value that did not fit) is kept, too. If both are at a limit, `into` wins.
/// A sum with an overflow at any step therefore ends at a limit, in any order of additions.
void add_sticky(std::int32_t* into, const std::int32_t* values, std::size_t count) noexcept;
/// out[i] from a[i] and b[i] by the rule above; if both are at a limit, a[i] wins.
void add_sticky(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                std::size_t count) noexcept;

/// into[i] += values[i] modulo 2^32 (SwitchML, whose scale excludes overflow: theorem 2).
void add_wrapping(std::int32_t* into, const std::int32_t* values, std::size_t count) noexcept;
/// out[i] = a[i] + b[i] modulo 2^32.
void add_wrapping(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                  std::size_t count) noexcept;

/// True if a value is INT32_MAX or INT32_MIN. ATP's parameter server then requests floats (ATP
/// 3.8). An exact sum of INT32_MAX or INT32_MIN counts as saturated, too. False without values.
[[nodiscard]] bool any_saturated(std::span<const std::int32_t> values) noexcept;

/// The largest magnitude of `values`, 0 to 2^31; 0 if `values` is empty.
[[nodiscard]] std::uint32_t largest_magnitude(std::span<const std::int32_t> values) noexcept;

/// True if a[i] == b[i] for every i below `count`.
[[nodiscard]] bool equal(const std::int32_t* a, const std::int32_t* b, std::size_t count) noexcept;

}  // namespace ina::numeric
