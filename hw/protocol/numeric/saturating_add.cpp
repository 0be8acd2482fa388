// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/saturating_add.hpp"

#include <cstring>
#include <limits>

#include "hw/protocol/numeric/kernel.hpp"

namespace ina::numeric {
namespace {

constexpr std::int32_t max32 = std::numeric_limits<std::int32_t>::max();

INA_INLINE std::int32_t wrapped(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// The sum overflowed if its sign differs from the signs of both operands. Branch-free, so that it
// vectorises.
INA_INLINE std::int32_t saturated(std::int32_t a, std::int32_t b) noexcept {
  const std::int32_t sum = wrapped(a, b);
  const std::int32_t limit = (a >> 31) ^ max32;
  return ((a ^ sum) & (b ^ sum)) < 0 ? limit : sum;
}

// INT32_MAX and INT32_MIN are the two values whose bits without the sign are INT32_MAX.
INA_INLINE bool at_limit(std::int32_t value) noexcept { return (value ^ (value >> 31)) == max32; }

INA_INLINE std::int32_t sticky(std::int32_t a, std::int32_t b) noexcept {
  const std::int32_t sum = saturated(a, b);
  const std::int32_t kept = at_limit(b) ? b : sum;
  return at_limit(a) ? a : kept;
}

// out[i] = add(a[i], b[i]). The last block overlaps the previous one, which avoids a scalar loop
// over the remainder. The last block is computed first, from the unmodified inputs, since `out` may
// be one of the inputs.
template <std::int32_t add(std::int32_t, std::int32_t) noexcept>
INA_INLINE void add_each(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                         std::size_t count) noexcept {
  if (count < kernel_lanes) {
    for (std::size_t i = 0; i < count; ++i) out[i] = add(a[i], b[i]);
    return;
  }
  const std::size_t last = count - kernel_lanes;
  std::int32_t tail[kernel_lanes];
  for (std::size_t lane = 0; lane < kernel_lanes; ++lane) {
    tail[lane] = add(a[last + lane], b[last + lane]);
  }
  const std::size_t whole = count / kernel_lanes * kernel_lanes;
  INA_INDEPENDENT
  for (std::size_t i = 0; i < whole; ++i) out[i] = add(a[i], b[i]);
  for (std::size_t lane = 0; lane < kernel_lanes; ++lane) out[last + lane] = tail[lane];
}

}  // namespace

INA_KERNEL void add_saturating(std::int32_t* into, const std::int32_t* values,
                               std::size_t count) noexcept {
  add_each<saturated>(into, into, values, count);
}

INA_KERNEL void add_saturating(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                               std::size_t count) noexcept {
  add_each<saturated>(out, a, b, count);
}

INA_KERNEL void add_sticky(std::int32_t* into, const std::int32_t* values,
                           std::size_t count) noexcept {
  add_each<sticky>(into, into, values, count);
}

INA_KERNEL void add_sticky(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                           std::size_t count) noexcept {
  add_each<sticky>(out, a, b, count);
}

INA_KERNEL void add_wrapping(std::int32_t* into, const std::int32_t* values,
                             std::size_t count) noexcept {
  add_each<wrapped>(into, into, values, count);
}

INA_KERNEL void add_wrapping(std::int32_t* out, const std::int32_t* a, const std::int32_t* b,
                             std::size_t count) noexcept {
  add_each<wrapped>(out, a, b, count);
}

INA_KERNEL bool any_saturated(std::span<const std::int32_t> values) noexcept {
  const std::int32_t* value = values.data();
  const std::size_t count = values.size();
  std::uint32_t found = 0;
  if (count < kernel_lanes) {
    for (std::size_t i = 0; i < count; ++i) found |= at_limit(value[i]) ? ~0U : 0U;
    return found != 0;
  }
  const std::size_t whole = count / kernel_lanes * kernel_lanes;
  for (std::size_t i = 0; i < whole; ++i) found |= at_limit(value[i]) ? ~0U : 0U;
  for (std::size_t i = count - kernel_lanes; i < count; ++i) {
    found |= at_limit(value[i]) ? ~0U : 0U;
  }
  return found != 0;
}

INA_KERNEL std::uint32_t largest_magnitude(std::span<const std::int32_t> values) noexcept {
  const std::int32_t* value = values.data();
  const std::size_t count = values.size();
  std::int32_t least = 0;
  std::int32_t greatest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    least = value[i] < least ? value[i] : least;
    greatest = value[i] > greatest ? value[i] : greatest;
  }
  const std::uint32_t below = 0U - static_cast<std::uint32_t>(least);
  const auto above = static_cast<std::uint32_t>(greatest);
  return below > above ? below : above;
}

// The C library's comparison is faster here than a kernel: 4.4 ns for 62 values against 5.4 ns.
bool equal(const std::int32_t* a, const std::int32_t* b, std::size_t count) noexcept {
  return count == 0 || std::memcmp(a, b, count * sizeof *a) == 0;
}

}  // namespace ina::numeric
