// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// INA_KERNEL marks a loop that is compiled twice: for AVX2, and for the build's target processor.
/// The loader selects the AVX2 version if the processor supports it (GCC's function
/// multi-versioning, an ifunc).
///
/// An AVX-512 version would not be faster. Measured at 62 values (ATP's and DSA's fragment) on a
/// Zen processor with AVX-512, a plain loop takes 9.0 ns with AVX-512 and 7.9 ns with AVX2, since
/// 62 leaves a remainder of 14 instead of 6. With an overlapping last block, AVX-512 takes 5.4 ns
/// and AVX2 6.0 ns on 64-byte aligned arrays, but 7.0 ns and 6.6 ns on other arrays.
///
/// Use INA_KERNEL only on the definition. It is empty for other compilers and under sanitizers,
/// whose run-time is not initialised yet when the loader resolves an ifunc.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define INA_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define INA_KERNEL
#endif

/// Inlines a helper into the calling kernel, so that it is compiled for that kernel's target.
#if defined(__GNUC__)
#define INA_INLINE [[gnu::always_inline]] inline
#else
#define INA_INLINE inline
#endif

/// Promises the compiler that the iterations of the next loop are independent, which avoids a
/// run-time test for overlapping arrays. The arrays of the loop must be identical or disjoint, not
/// shifted.
#if defined(__GNUC__) && !defined(__clang__)
#define INA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define INA_INDEPENDENT
#endif

namespace ina::numeric {

/// Number of values that a kernel handles at once: one AVX2 register of int32.
inline constexpr unsigned kernel_lanes = 8;

}  // namespace ina::numeric
