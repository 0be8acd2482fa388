// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "hw/fields/bounds.hpp"
#include "hw/fields/quantity.hpp"

namespace ina::fields {

/// Validator for CLI::Option::transform() that converts a size, with or without a unit, to bytes.
/// The size must be within `bounds`.
inline CLI::Validator as_bytes(Bounds<std::uint64_t> bounds) {
  const auto transform = [bounds](std::string& text) -> std::string {
    std::string reason;
    try {
      const std::uint64_t bytes = parse_size(text, bounds.high);
      if (bytes >= bounds.low) {
        text = std::to_string(bytes);
        return {};
      }
      reason = "too small";
    } catch (const QuantityError& error) {
      reason = error.what();
    }
    return fmt::format(
        "\"{}\", {}; allowed: a size from {} to {}, in bytes or with its unit ({}), such as 5MB",
        text, reason, format_bytes(bounds.low), format_bytes(bounds.high), kByteUnits);
  };
  return {transform, "SIZE", "as_bytes"};
}

}  // namespace ina::fields
