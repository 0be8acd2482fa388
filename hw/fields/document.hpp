// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hw/fields/input_error.hpp"

namespace ina::fields {

/// A renamed key.
struct FormerKey {
  std::string_view former;
  std::string_view now;  ///< new key in the same object, or JSON pointer to another position
};

/// A renamed value of a choice.
struct FormerValue {
  std::string_view key;  ///< key of the choice
  std::string_view former;
  std::string_view now;
};

/// Interface through which readers of parts of a JSON document report errors and resolve paths.
class Document {
 public:
  virtual ~Document() = default;

  /// Throws an InputError that names the position of the value at the pointer.
  [[noreturn]] void fail(const std::string& pointer, const std::string& message) const {
    throw error_at(pointer, message);
  }
  /// Directory to which relative paths in the value at the pointer refer.
  virtual const std::filesystem::path& directory_of(const std::string& pointer) const = 0;
  /// Renamed keys of this kind of document, for error messages.
  virtual std::span<const FormerKey> former_keys() const { return {}; }
  virtual std::span<const FormerValue> former_values() const { return {}; }

 private:
  virtual InputError error_at(const std::string& pointer, const std::string& message) const = 0;
};

/// A document that is one file, in which no value is a path.
class PlainDocument final : public Document {
 public:
  /// `name`: file name for messages.
  explicit PlainDocument(std::string name) : name_(std::move(name)) {}

  const std::filesystem::path& directory_of(const std::string&) const override { return nowhere_; }

 private:
  InputError error_at(const std::string& pointer, const std::string& message) const override {
    return {name_, pointer, message};
  }

  std::string name_;
  std::filesystem::path nowhere_;
};

}  // namespace ina::fields
