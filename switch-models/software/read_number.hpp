// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace ina::software {

/// All of `digits` as a number of this type; false, and nothing said of `number`, if it is none.
template <class Number>
bool read_number(std::string_view digits, Number& number) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace ina::software
