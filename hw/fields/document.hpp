// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "hw/fields/input_error.hpp"

namespace ina::fields {

/// A key that has another name now.
struct FormerKey {
  std::string_view former;
  std::string_view now;
};

/// A value of a choice that has another name now.
struct FormerValue {
  std::string_view key;  ///< of the choice
  std::string_view former;
  std::string_view now;
};

/// What a JSON document is to those who read its parts.
class Document {
 public:
  virtual ~Document() = default;

  /// Throws the InputError for what stands at the pointer.
  [[noreturn]] void fail(const std::string& pointer, const std::string& message) const {
    throw error_at(pointer, message);
  }
  /// The base of relative paths that stand at the pointer.
  virtual const std::filesystem::path& directory_of(const std::string& pointer) const = 0;
  /// For messages about what the document's kind has no more.
  virtual std::span<const FormerKey> former_keys() const { return {}; }
  virtual std::span<const FormerValue> former_values() const { return {}; }

 private:
  virtual InputError error_at(const std::string& pointer, const std::string& message) const = 0;
};

}  // namespace ina::fields
