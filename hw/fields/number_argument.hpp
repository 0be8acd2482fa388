// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "hw/fields/bounds.hpp"
#include "hw/fields/read_number.hpp"

namespace ina::fields {

/// Validator for CLI::Option::transform() that accepts a decimal whole number within `bounds`.
/// CLI11 itself wraps negative numbers, reads "" as 0, and reads 010 as octal.
inline CLI::Validator whole_number(Bounds<std::uint64_t> bounds) {
  const auto transform = [bounds](std::string& text) -> std::string {
    std::uint64_t number = 0;
    if (read_number(text, number) && number >= bounds.low && number <= bounds.high) {
      text = std::to_string(number);
      return {};
    }
    return fmt::format("found \"{}\"; allowed: a whole number from {} to {}", text, bounds.low,
                       bounds.high);
  };
  return {transform, fmt::format("in [{} - {}]", bounds.low, bounds.high), "whole_number"};
}

}  // namespace ina::fields
