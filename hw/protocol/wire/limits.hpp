// SPDX-License-Identifier: BSD-3-Clause
// Limits that the C++ programs, the P4 programs and the scenarios share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ina::wire {

/// ATP 3.6 and DSA VII: 306-byte packets of 248 bytes of values.
inline constexpr std::size_t kFragmentValues = 62;

/// SwitchML: values per packet of the paper (180 B), of the NSDI version (308 B, 1076 B), and of
/// the paper's comparison with packets of an MTU, which no chip supports (arXiv v1, 5.5: 1516 B).
inline constexpr std::array<std::uint32_t, 4> kSwitchmlValues = {32, 64, 256, 366};

/// Bitmaps are one 32-bit register wide (ATP 3.4), so one switch aggregates at most this many
/// workers of a job.
inline constexpr std::size_t kMaxWorkersPerSwitch = 32;

/// Branches of a job at the root of its tree; their bitmap is also one 32-bit register.
inline constexpr std::size_t kMaxBranches = 32;

/// Maximum number of workers of a job: every branch is a leaf with as many workers as a bitmap has
/// bits.
inline constexpr std::size_t kMaxWorkers = kMaxBranches * kMaxWorkersPerSwitch;

/// Bitmap with all of `workers` set.
constexpr std::uint32_t full_bitmap(std::size_t workers) {
  return workers >= kMaxWorkersPerSwitch ? ~0U : (1U << workers) - 1;
}

/// The job is one byte in SwitchML's header.
inline constexpr std::size_t kMaxJobs = 256;

/// Besides the version bit, SwitchML's header has 15 bits for the slot.
inline constexpr std::size_t kMaxSlots = 32768;

}  // namespace ina::wire
