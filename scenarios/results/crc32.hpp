// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <string>
#include <string_view>

namespace ina::results {

/// CRC-32 of data that arrives in pieces.
class Crc32 {
 public:
  void add(std::string_view piece) {
    sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  }
  /// Eight hexadecimal digits.
  std::string written() const { return fmt::format("{:08x}", sum_); }

 private:
  uLong sum_ = 0;
};

}  // namespace ina::results
