// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/dpdk/endpoints/input_error.hpp"
#include "hw/fields/object_reader.hpp"
#include "hw/protocol/time.hpp"

namespace ina::endpoints {

/// The fields of one JSON object of a cluster file: required, except for what has() is asked of.
class Fields {
 public:
  /// `place`: of the object, as a JSON pointer. Throws InputError if it is no object.
  Fields(const nlohmann::json& object, std::string place);

  bool has(std::string_view key) const { return object_.contains(key); }
  Fields object(std::string_view key) const { return {at(key), place_of(key)}; }
  /// Calls `read(Fields)` for each object of an array.
  template <class Read>
  void each(std::string_view key, Read&& read) const {
    const nlohmann::json& array = array_at(key);
    for (std::size_t i = 0; i < array.size(); ++i) {
      read(Fields(array[i], place_of(key) + '/' + std::to_string(i)));
    }
  }

  /// Calls `read` for the object at the key. What it throws becomes an InputError of this one.
  void visit(std::string_view key, const std::function<void(fields::ObjectReader&)>& read) const;

  template <class Integer>
  Integer integer(std::string_view key, Integer low = std::numeric_limits<Integer>::min(),
                  Integer high = std::numeric_limits<Integer>::max()) const {
    const nlohmann::json& value = at(key);
    const bool in_range =
        value.is_number_unsigned()
            ? std::in_range<Integer>(value.get<std::uint64_t>())
            : value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>());
    if (!in_range || value.get<Integer>() < low || value.get<Integer>() > high) {
      refuse(key, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value.get<Integer>();
  }
  /// Picoseconds.
  Time time(std::string_view key, Time low = Time::zero(), Time high = Time::max()) const {
    return Time(integer<std::int64_t>(key, low.count(), high.count()));
  }
  /// Integers of 0 or more.
  std::vector<std::uint64_t> numbers(std::string_view key) const;
  double probability(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;
  /// The index in `names` of the text at the key.
  template <class Names>
  std::size_t choice(std::string_view key, const Names& names) const {
    const std::string found = text(key);
    std::string allowed;
    std::size_t index = 0;
    for (const std::string_view name : names) {
      if (name == found) return index;
      allowed.append(index++ == 0 ? "" : ", ").append(name);
    }
    refuse(key, allowed);
  }
  const nlohmann::json& array_at(std::string_view key) const;

  [[noreturn]] void refuse(std::string_view key, const std::string& allowed) const;

 private:
  const nlohmann::json& at(std::string_view key) const;
  std::string place_of(std::string_view key) const { return place_ + '/' + std::string(key); }

  const nlohmann::json& object_;
  std::string place_;
};

/// Reads a JSON file. Throws InputError with the path and the reason.
nlohmann::json read_json(const std::string& path);

/// What `read(Fields)` makes of a JSON file. An InputError that it throws gets the path.
template <class Read>
auto read_file(const std::string& path, Read&& read) {
  const nlohmann::json json = read_json(path);
  try {
    return read(Fields(json, ""));
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

}  // namespace ina::endpoints
