// SPDX-License-Identifier: BSD-3-Clause
// Requirements for every error message of the scenario reader.
#pragma once

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string>

#include "hw/fields/input_error.hpp"
#include "hw/fields/strict_json.hpp"
#include "tests/fuzz/require.hpp"

namespace ina::fuzz {

inline bool is_pointer(const std::string& place) {
  try {
    return ina::fields::join_pointer(ina::fields::split_pointer(place)) == place;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

inline bool is_place_in_text(const std::string& place) {
  static const std::regex form("line [1-9][0-9]*(, column [1-9][0-9]*)?");
  return std::regex_match(place, form);
}

inline void require_one_clear_line(const ina::fields::InputError& error, const std::string& file) {
  const std::string line = error.what();
  require(line.starts_with(file), "the line begins with the file");
  require(std::ranges::none_of(line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
          "the message is one line");
  require(line.size() < 4096, "the message is short");
  require(!error.message().empty(), "the message says something");
  const auto& place = error.place();
  require(place.empty() || is_pointer(place) || is_place_in_text(place),
          "the place is a JSON pointer, or line and column");
}

}  // namespace ina::fuzz
