// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ina::results {

/// The CRC-32 of what files hold, as zip and zlib have it. Every run sums up ns-3's libraries, 7
/// MB: that takes most of a short one's time byte by byte, so that here it goes by eight bytes.
class Crc32 {
 public:
  void add(std::string_view piece);
  /// Eight hexadecimal digits.
  std::string written() const;

 private:
  std::uint32_t remainder_ = 0xffffffff;
};

}  // namespace ina::results
