// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// INA_KERNEL marks a loop that is compiled twice, for AVX2 and for the baseline of the build; the
/// loader picks the version that the processor can run (GCC's function multi-versioning, an ifunc).
///
/// There is no AVX-512 version on purpose. Measured at 62 values (ATP's and DSA's fragment) on a
/// Zen processor with AVX-512: a plain loop takes 9.0 ns with it and 7.9 ns with AVX2, since 62
/// leaves a rest of 14 instead of 6; with an overlapping last block it takes 5.4 ns against 6.0 ns
/// on 64-byte aligned arrays, but 7.0 ns against 6.6 ns on others.
///
/// Put it on the definition only. It is empty for other compilers and under sanitizers, whose
/// run-time is not yet there when the loader resolves an ifunc.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define INA_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define INA_KERNEL
#endif

/// Forces a helper into the kernel that calls it, so that it is compiled for that kernel's target.
#if defined(__GNUC__)
#define INA_INLINE [[gnu::always_inline]] inline
#else
#define INA_INLINE inline
#endif

/// Tells the compiler that the iterations of the next loop are independent: no run-time test for
/// overlapping arrays. True of arrays that are the same or disjoint, not of shifted ones.
#if defined(__GNUC__) && !defined(__clang__)
#define INA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define INA_INDEPENDENT
#endif

namespace ina::numeric {

/// Values that a kernel handles at once: one AVX2 register of int32.
inline constexpr unsigned kernel_lanes = 8;

}  // namespace ina::numeric
