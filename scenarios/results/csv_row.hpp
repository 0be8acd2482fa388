// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ina::results {

/// One row of a CSV file (RFC 4180).
class CsvRow {
 public:
  CsvRow& text(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
      line_ += text;
      return *this;
    }
    line_ += '"';
    for (const char c : text) {
      line_.append(c == '"' ? 2 : 1, c);
    }
    line_ += '"';
    return *this;
  }

  CsvRow& number(std::uint64_t number) {
    separate();
    line_ += fmt::format("{}", number);
    return *this;
  }

  /// Writes a time in picoseconds as exact microseconds.
  CsvRow& microseconds(std::int64_t ps) {
    constexpr std::int64_t kPsPerUs = 1'000'000;
    separate();
    line_ += fmt::format("{}.{:06}", ps / kPsPerUs, ps % kPsPerUs);
    return *this;
  }

  /// Appends an empty cell for a value that does not exist.
  CsvRow& nothing() {
    separate();
    return *this;
  }

  /// The row without its line break.
  const std::string& line() const { return line_; }

 private:
  void separate() {
    if (!first_) line_ += ',';
    first_ = false;
  }

  std::string line_;
  bool first_ = true;
};

}  // namespace ina::results
