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

/// Where a part of a document was written.
struct Origin {
  std::string file;                 ///< for error messages
  std::filesystem::path directory;  ///< base of the relative paths in it
  std::string place{};              ///< pointer in the file to what stands at the root; empty: so
};

/// A JSON document put together from one file or several, which knows where each of its parts comes
/// from.
class ScenarioDocument final : public fields::Document {
 public:
  /// The document in the text of one file, as it stands. Throws InputError.
  static ScenarioDocument parse(const std::filesystem::path& path, std::string_view text);

  /// The document in a scenario file over the files that it extends: objects are merged,
  /// everything else is replaced. The name of an experiment is its own: it is not handed down.
  /// Throws InputError.
  static ScenarioDocument read_extended(const std::filesystem::path& path);

  const Json& root() const { return root_; }

  /// The path of the file itself, as given.
  const std::filesystem::path& path() const { return path_; }

  /// The origin of what stands at the pointer.
  const Origin& origin_of(const std::string& pointer) const;

  /// Replaces what stands at the pointer; objects on the way to it are made, elements of an array
  /// must exist. Throws InputError that blames `blamed`, the place in `origin` where the
  /// pointer is written.
  void set(const std::string& pointer, const Json& value, const Origin& origin,
           const std::string& blamed);

  /// Merges the object at the pointer, a part of the document, over the whole. What comes from it
  /// is blamed there.
  void merge_part(const std::string& part);

  /// Takes a key out of the object at the pointer, if both exist.
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
  /// Notes that one origin wrote all that stands at the pointer.
  void own(const std::string& pointer, const Origin& origin);

  Json root_ = Json::object();
  std::filesystem::path path_;
  Origin main_;
  std::map<std::string, Origin> origins_;  ///< by pointer; holds for everything below, too
};

}  // namespace ina::scenarios
