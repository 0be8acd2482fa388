// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/crc32.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <string>

namespace ina::results {
namespace {

TEST(ResultsCrc32, IsThatOfZipFiles) {
  Crc32 checksum;
  EXPECT_EQ(checksum.written(), "00000000");
  checksum.add("123456789");
  EXPECT_EQ(checksum.written(), "cbf43926");
}

TEST(ResultsCrc32, DoesNotDependOnThePieces) {
  std::string content;
  for (int i = 0; i < 1000; ++i) content += static_cast<char>(i * i / 7);
  boost::crc_32_type known;
  known.process_bytes(content.data(), content.size());
  for (std::size_t length = 1; length <= 40; ++length) {
    Crc32 checksum;
    for (std::size_t begin = 0; begin < content.size(); begin += length) {
      checksum.add(std::string_view(content).substr(begin, length));
    }
    EXPECT_EQ(checksum.written(), fmt::format("{:08x}", known.checksum())) << length;
  }
}

}  // namespace
}  // namespace ina::results
