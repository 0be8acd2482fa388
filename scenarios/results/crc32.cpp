// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/crc32.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace ina::results {

namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320;  // the lowest bit is of the highest power
constexpr std::size_t kBytesAtATime = 8;

using RemainderTable = std::array<std::uint32_t, 256>;

/// The n-th table has what is left of a byte that n bytes follow.
constexpr std::array<RemainderTable, kBytesAtATime> tables() {
  std::array<RemainderTable, kBytesAtATime> made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t left = byte;
    for (int bit = 0; bit < 8; ++bit) left = (left >> 1) ^ ((left & 1) != 0 ? kPolynomial : 0);
    made[0][byte] = left;
  }
  for (std::size_t n = 1; n < kBytesAtATime; ++n) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t left = made[n - 1][byte];
      made[n][byte] = (left >> 8) ^ made[0][left & 0xff];
    }
  }
  return made;
}

constexpr std::array<RemainderTable, kBytesAtATime> kRemainders = tables();

std::uint32_t byte_of(std::string_view piece, std::size_t index) {
  return static_cast<unsigned char>(piece[index]);
}

std::uint32_t add_eight(std::uint32_t remainder, std::string_view eight) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kBytesAtATime; ++i) {
    const std::uint32_t before = i < sizeof remainder ? (remainder >> (8 * i)) & 0xff : 0;
    sum ^= kRemainders[kBytesAtATime - 1 - i][byte_of(eight, i) ^ before];
  }
  return sum;
}

}  // namespace

void Crc32::add(std::string_view piece) {
  for (; piece.size() >= kBytesAtATime; piece.remove_prefix(kBytesAtATime)) {
    remainder_ = add_eight(remainder_, piece);
  }
  for (std::size_t i = 0; i < piece.size(); ++i) {
    remainder_ = (remainder_ >> 8) ^ kRemainders[0][(remainder_ ^ byte_of(piece, i)) & 0xff];
  }
}

std::string Crc32::written() const { return fmt::format("{:08x}", ~remainder_); }

}  // namespace ina::results
