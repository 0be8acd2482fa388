// SPDX-License-Identifier: BSD-3-Clause
// Limits that the C++ programs, the P4 programs and the scenarios share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ina::wire {

/// ATP 3.6 and DSA VII: 306-byte packets of 248 bytes of values. The P4 programs have this number;
/// simulated and software switches may have another one.
inline constexpr std::size_t kFragmentValues = 62;

/// SwitchML's values per packet: arXiv paper (180 B), NSDI version (308 B, 1076 B), MTU-sized
/// packets (1516 B), which no chip supports (arXiv v1, 5.5, compares with them), and jumbo frames
/// (9012 B).
inline constexpr std::array<std::uint32_t, 5> kSwitchmlValues = {32, 64, 256, 366, 2240};

/// A bitmap is one 32-bit register (ATP 3.4), so one switch adds the gradients of at most this many
/// workers of a job.
inline constexpr std::size_t kMaxWorkersPerSwitch = 32;

/// Maximum number of a job's branches at the root; their bitmap is also one 32-bit register.
inline constexpr std::size_t kMaxBranches = 32;

/// Maximum number of workers of a job. Every branch is then a leaf with as many workers as a bitmap
/// has bits.
inline constexpr std::size_t kMaxWorkers = kMaxBranches * kMaxWorkersPerSwitch;

/// Bitmap with the bits of all `workers` workers.
constexpr std::uint32_t full_bitmap(std::size_t workers) {
  return workers >= kMaxWorkersPerSwitch ? ~0U : (1U << workers) - 1;
}

/// The job is one byte in SwitchML's header.
inline constexpr std::size_t kMaxJobs = 256;

/// SwitchML's header has 15 bits for the slot, and one for the version.
inline constexpr std::size_t kMaxSlots = 32768;

}  // namespace ina::wire
