// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <span>

namespace ina::exploration {

/// 128-bit fingerprint of a state. Among 10^9 states, two different ones collide with a probability
/// of 10^-21.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

struct FingerprintHash {
  using is_avalanching = void;
  std::size_t operator()(const Fingerprint& f) const { return f.low; }
};

inline Fingerprint fingerprint(std::span<const std::byte> bytes) {
  __extension__ using Wide = unsigned __int128;
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  // Odd numbers with about as many ones as zeros: digits of pi, e, and the square roots of 2 and 3.
  constexpr std::uint64_t kPi = 0x243f6a8885a308d3;
  constexpr std::uint64_t kE = 0xb7e151628aed2a6b;
  constexpr std::uint64_t kRoot2 = 0x6a09e667f3bcc909;
  constexpr std::uint64_t kRoot3 = 0xbb67ae8584caa73b;
  Fingerprint f{kPi, kE};
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
    f.low = fold(f.low ^ word, kRoot2) + kE;
    f.high = fold(f.high + word, kRoot3) ^ f.low;
  }
  return {fold(f.low ^ bytes.size(), kRoot3), fold(f.high ^ f.low, kRoot2)};
}

}  // namespace ina::exploration
