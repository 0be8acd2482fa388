// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "hw/fields/document.hpp"
#include "hw/fields/input_error.hpp"
#include "hw/fields/strict_json.hpp"

namespace ina::scenarios {

using namespace fields;

/// The file, and the position in it, from which a part of a document was read.
struct Origin {
  std::string file;                 ///< for error messages
  std::filesystem::path directory;  ///< base of relative paths in that part
  std::string place{};              ///< prepended to a pointer to get the position in the file
};

/// A JSON document, merged from one or several files, that knows the origin of each of its parts.
class ScenarioDocument final : public fields::Document {
 public:
  /// Parses the text of a single file, without "extends". Throws InputError.
  static ScenarioDocument parse(const std::filesystem::path& path, std::string_view text);

  /// Reads a scenario file and the files that it extends: objects are merged, all other values are
  /// replaced. The name of an experiment is not inherited. Throws InputError.
  static ScenarioDocument read_extended(const std::filesystem::path& path);

  const Json& root() const { return root_; }

  /// Path of the file itself, as given.
  const std::filesystem::path& path() const { return path_; }

  /// Origin of the value at the pointer.
  const Origin& origin_of(const std::string& pointer) const;

  /// Replaces the value at the pointer. Creates missing objects on the path; array elements must
  /// exist. Throws InputError with the position `blamed` in `origin`, where the pointer was given.
  void set(const std::string& pointer, const Json& value, const Origin& origin,
           const std::string& blamed);

  /// Merges the object at pointer `part` into the whole document. Errors in its values are then
  /// reported at their positions in that part.
  void merge_part(const std::string& part);

  /// Removes a key from the object at the pointer, if both exist.
  void erase(const std::string& pointer, const std::string& key);

  const std::filesystem::path& directory_of(const std::string& pointer) const override {
    return origin_of(pointer).directory;
  }
  std::span<const fields::FormerKey> former_keys() const override;
  std::span<const fields::FormerValue> former_values() const override;

 private:
  InputError error_at(const std::string& pointer, const std::string& message) const override;
  explicit ScenarioDocument(const std::filesystem::path& path);

  using OriginOf = std::function<Origin(const std::string& pointer)>;
  void merge(Json& target, const std::string& pointer, const Json& overlay,
             const OriginOf& origin_at);
  /// Records `origin` as the origin of the value at the pointer and of everything below it.
  void own(const std::string& pointer, const Origin& origin);

  Json root_ = Json::object();
  std::filesystem::path path_;
  Origin main_;
  std::map<std::string, Origin> origins_;  ///< by pointer; valid for everything below it
};

}  // namespace ina::scenarios
