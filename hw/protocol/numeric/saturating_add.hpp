// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Sums of int32 arrays: the hot path of the switch programs and of the parameter servers.
///
/// Rules of all functions here: any count, also 0 (pointers may then be null); no padding is read
/// or written; pointers need the alignment of int32 only (64-byte aligned arrays are a little
/// faster); an output is one of the inputs or disjoint from both, never a shifted overlap. No
/// errors.
namespace ina::numeric {

/// into[i] = clamp(into[i] + values[i]): a sum out of range becomes INT32_MAX or INT32_MIN, what
/// the stateful ALU of a Tofino does (ATP 3.8). NOT sticky: INT32_MAX + (-5) leaves the limit
/// again, and the overflow can no longer be seen; an ATP aggregator wants add_sticky.
void add_saturating(std::int32_t* into, const std::int32_t* values, std::size_t count) noexcept;
/// out[i] = clamp(a[i] + b[i]).
void add_saturating(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                    std::size_t count) noexcept;

/// As add_saturating, but a value at a limit stays there whatever is added (ATP 3.8: "the value
/// remains saturated"), also when the limit is in `values` (a saturated partial aggregate from the
/// level below, or a worker's value that did not fit). `into` decides when both stand at a limit.
/// Whatever the order of the additions, a sum that overflowed on its way is at a limit in the end.
void add_sticky(std::int32_t* into, const std::int32_t* values, std::size_t count) noexcept;
/// out[i] from a[i] and b[i] by the rule above; a[i] decides when both stand at a limit.
void add_sticky(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                std::size_t count) noexcept;

/// into[i] += values[i] modulo 2^32 (SwitchML, whose scale excludes overflow: theorem 2).
void add_wrapping(std::int32_t* into, const std::int32_t* values, std::size_t count) noexcept;
/// out[i] = a[i] + b[i] modulo 2^32.
void add_wrapping(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                  std::size_t count) noexcept;

/// True if a value is INT32_MAX or INT32_MIN: what makes ATP's parameter server ask for floats
/// (ATP 3.8). A true sum of exactly INT32_MAX or INT32_MIN counts as saturated too. False if empty.
[[nodiscard]] bool any_saturated(std::span<const std::int32_t> values) noexcept;

/// The largest magnitude of `values`, 0 to 2^31. 0 if empty.
[[nodiscard]] std::uint32_t largest_magnitude(std::span<const std::int32_t> values) noexcept;

/// True if a[i] == b[i] for every i below `count`.
[[nodiscard]] bool equal(const std::int32_t* a, const std::int32_t* b, std::size_t count) noexcept;

}  // namespace ina::numeric
