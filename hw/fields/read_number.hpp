// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace ina::fields {

/// Parses all of `text` as a number. If false, it is no number, and `number` is unspecified.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace ina::fields
