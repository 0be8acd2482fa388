// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/fields/bounds.hpp"
#include "hw/fields/document.hpp"
#include "hw/fields/strict_json.hpp"
#include "hw/protocol/time.hpp"

namespace ina::fields {

/// Treatment of an absent key, unless its target is a std::optional.
enum class Absent : std::uint8_t {
  default_value,  ///< the target keeps its value
  error,
};

/// Reads an object of a document key by key. If a key is absent, its target keeps its value, which
/// is the default; in documents whose keys have no defaults, an absent key is an error. Every
/// function throws InputError, with the value's JSON pointer, on a wrong type or a value that is
/// not allowed. finish() refuses all keys that were not read. ObjectWriter has the same functions,
/// so one list of fields serves both. ObjectReader ignores `help`, an English sentence about the
/// value's meaning without its full stop. Classes such as SchemaWriter use it.
class ObjectReader {
 public:
  /// Throws InputError if the value is not an object. Value and document must outlive the reader.
  /// `absent` also applies to the objects inside this one.
  ObjectReader(const Document& document, const Json& value, std::string pointer,
               Absent absent = Absent::default_value);

  /// Value of a key; null if it is absent.
  const Json* find(std::string_view key);
  /// Like find(), but an absent key is an error if `absent` is Absent::error.
  const Json* find_wanted(std::string_view key);
  /// Like find_wanted(key). If the key is absent but required, finish() reports `allowed`.
  const Json* find_wanted(std::string_view key, const std::string& allowed);
  /// Requires the key: finish() refuses an object without it.
  void require(std::string_view key);
  std::string pointer_of(std::string_view key) const;

  template <typename T>
  void integer(std::string_view key, T& target, Bounds<T> bounds, std::string_view help);
  template <typename T>
  void integer(std::string_view key, std::optional<T>& target, Bounds<T> bounds,
               std::string_view help);
  /// An integer, or the given word, which sets `is_word` and leaves `target` empty.
  template <typename T>
  void integer_or(std::string_view word, std::string_view key, std::optional<T>& target,
                  bool& is_word, Bounds<T> bounds, std::string_view help);
  /// One of a few integers.
  template <std::size_t N>
  void one_of(std::string_view key, std::uint32_t& target,
              const std::array<std::uint32_t, N>& allowed, std::string_view help);
  void boolean(std::string_view key, bool& target, std::string_view help);
  /// A boolean that other keys of the document determine: the only allowed value is `value`.
  void implied(std::string_view key, bool value, std::string_view help);
  /// A number from 0 to 1.
  void probability(std::string_view key, double& target, std::string_view help);
  void text(std::string_view key, std::string& target, std::string_view help);
  void text(std::string_view key, std::optional<std::string>& target, std::string_view help);
  /// A text, or an array of distinct texts.
  void texts(std::string_view key, std::vector<std::string>& target, Bounds<std::size_t> sizes,
             std::string_view help);
  /// A text whose default is derived from other keys.
  void derived_text(std::string_view key, std::string& target, std::string_view help) {
    text(key, target, help);
  }
  /// A key that has only one allowed value so far.
  void constant(std::string_view key, std::string_view only, std::string_view help);
  template <typename E, std::size_t N>
  void choice(std::string_view key, E& target, const ChoiceNames<E, N>& names,
              std::string_view help);
  /// A choice. ObjectWriter omits it if it has the usual value.
  template <typename E, std::size_t N>
  void rare_choice(std::string_view key, E& target, E /* usual */, const ChoiceNames<E, N>& names,
                   std::string_view help) {
    choice(key, target, names, help);
  }
  /// A choice without a default that determines which further keys exist. read(reader) reads the
  /// keys of the target and requires each.
  template <typename E, std::size_t N, typename Read>
  void kind(std::string_view key, E& target, const ChoiceNames<E, N>& names, Read read,
            std::string_view help) {
    require(key);
    choice(key, target, names, help);
    read(*this);
  }
  /// Like kind(), but the choice and the further keys have defaults.
  template <typename E, std::size_t N, typename Read>
  void type(std::string_view key, E& target, const ChoiceNames<E, N>& names, Read read,
            std::string_view help) {
    choice(key, target, names, help);
    read(*this);
  }
  /// One of the names, or an object with a key "name" and further keys, which read(reader) reads.
  /// First, set_by_index(target, index of the name) sets the target. The compiler finds this
  /// function by argument-dependent lookup.
  template <typename Named, typename Read>
  void named(std::string_view key, std::span<const std::string_view> names, Named& target,
             Read read, std::string_view help);
  /// A non-empty array of distinct names. Sets bit i of the mask for names[i].
  template <typename Mask, std::size_t N>
  void set(std::string_view key, Mask& target, const std::array<const char*, N>& names,
           std::string_view help);
  /// An array of at most `most` distinct integers.
  void numbers(std::string_view key, std::vector<std::uint64_t>& target,
               Bounds<std::uint64_t> bounds, std::size_t most, std::string_view help);
  /// An array of integers.
  template <typename T>
  void integers(std::string_view key, std::vector<T>& target, Bounds<T> bounds,
                Bounds<std::size_t> sizes, std::string_view help);
  template <typename T>
  void integers(std::string_view key, std::optional<std::vector<T>>& target, Bounds<T> bounds,
                Bounds<std::size_t> sizes, std::string_view help);
  /// An array of arrays. Each inner array has at least one number, and no number is negative.
  void factors(std::string_view key, std::vector<std::vector<double>>& target,
               std::string_view help);
  /// Like factors(), or the name of a file that contains them.
  void table_or_name(std::string_view key, std::vector<std::vector<double>>& rows,
                     std::string& name, std::string_view help);
  /// A time in picoseconds, written as an integer.
  void picoseconds(std::string_view key, std::int64_t& target, Bounds<std::int64_t> bounds,
                   std::string_view help) {
    integer(key, target, bounds, help);
  }
  void picoseconds(std::string_view key, std::optional<std::int64_t>& target,
                   Bounds<std::int64_t> bounds, std::string_view help) {
    integer(key, target, bounds, help);
  }
  void picoseconds(std::string_view key, Time& target, Bounds<std::int64_t> bounds,
                   std::string_view help);
  void picoseconds(std::string_view key, std::optional<Time>& target, Bounds<std::int64_t> bounds,
                   std::string_view help);
  void time(std::string_view key, std::int64_t& target, Bounds<std::int64_t> bounds,
            std::string_view help);
  void time(std::string_view key, Time& target, Bounds<std::int64_t> bounds, std::string_view help);
  void time(std::string_view key, std::optional<std::int64_t>& target, Bounds<std::int64_t> bounds,
            std::string_view help);
  void time(std::string_view key, std::optional<Time>& target, Bounds<std::int64_t> bounds,
            std::string_view help);
  /// A time, or the given word, which sets `is_word` and leaves `target` empty.
  void time_or(std::string_view word, std::string_view key, std::optional<Time>& target,
               bool& is_word, Bounds<std::int64_t> bounds, std::string_view help);
  void rate(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds,
            std::string_view help);
  void rate(std::string_view key, std::optional<std::uint64_t>& target,
            Bounds<std::uint64_t> bounds, std::string_view help);
  void bytes(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds,
             std::string_view help);
  /// A time, or {"uniform": [low, high]}.
  void range(std::string_view key, TimeRange& target, std::string_view help) {
    range(
        key, target, [](ObjectReader&) {}, help);
  }
  /// Like range(), but the object may have further keys, which read(reader) reads.
  template <typename Read>
  void range(std::string_view key, TimeRange& target, Read read, std::string_view help);
  /// An object; read(reader) reads its fields.
  template <typename Read>
  void object(std::string_view key, Read read, std::string_view help);
  /// An array of objects; read(reader, element) reads the fields of one.
  template <typename T, typename Read>
  void list(std::string_view key, std::vector<T>& target, Bounds<std::size_t> sizes, Read read,
            std::string_view help);

  /// Throws InputError if the object has a key that was not read, or lacks a required one.
  void finish() const;

  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  /// Fails with a message that shows the value at the key and what is allowed there.
  [[noreturn]] void refuse(std::string_view key, const std::string& allowed) const;

  const Document& document() const { return document_; }

 private:
  /// A required key that is absent.
  struct Missing {
    std::string key;
    std::string allowed;
  };

  /// The integer at the key, checked against the bounds; empty if the key is absent. `word`: for
  /// messages, the word that is allowed instead of an integer, if any.
  std::optional<std::uint64_t> read_integer(std::string_view key, Bounds<std::uint64_t> bounds,
                                            std::string_view word = "");
  /// Index of the name at the key; empty if the key is absent. `or_else`: for messages, what else
  /// is allowed.
  std::optional<std::size_t> read_choice(std::string_view key,
                                         std::span<const std::string_view> names,
                                         std::string_view or_else = {});
  /// Fails because the key is missing. The message lists the names that are allowed there.
  [[noreturn]] void fail_without(std::string_view key,
                                 std::span<const std::string_view> names) const;
  /// The integers at the key; empty if the key is absent.
  std::optional<std::vector<std::uint64_t>> read_integers(std::string_view key,
                                                          Bounds<std::uint64_t> bounds,
                                                          Bounds<std::size_t> sizes);
  /// Fails because of an element of the array at the key.
  [[noreturn]] void refuse_element(std::string_view key, std::size_t index, const Json& element,
                                   const std::string& allowed) const;
  std::optional<std::uint64_t> read_set(std::string_view key, std::span<const char* const> names);
  /// Reads a fixed time at the key, whose value is not an object.
  void fixed(std::string_view key, const Json& value, TimeRange& target) const;
  void uniform(TimeRange& target);

  const Document& document_;
  const Json& value_;
  std::string pointer_;
  Absent absent_;
  std::vector<std::string> known_;
  std::vector<Missing> missing_;
};

/// Name with the smallest edit distance; empty if none is similar.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

template <typename T>
void ObjectReader::integer(std::string_view key, T& target, Bounds<T> bounds,
                           std::string_view /* help */) {
  const Bounds<std::uint64_t> wide{static_cast<std::uint64_t>(bounds.low),
                                   static_cast<std::uint64_t>(bounds.high)};
  if (const auto value = read_integer(key, wide)) {
    target = static_cast<T>(*value);
  }
}

template <typename T>
void ObjectReader::integer(std::string_view key, std::optional<T>& target, Bounds<T> bounds,
                           std::string_view /* help */) {
  if (find(key) == nullptr) {
    return;
  }
  const Bounds<std::uint64_t> wide{static_cast<std::uint64_t>(bounds.low),
                                   static_cast<std::uint64_t>(bounds.high)};
  if (const auto value = read_integer(key, wide)) {
    target = static_cast<T>(*value);
  }
}

template <typename T>
void ObjectReader::integer_or(std::string_view word, std::string_view key, std::optional<T>& target,
                              bool& is_word, Bounds<T> bounds, std::string_view /* help */) {
  const Json* value = find(key);
  if (value == nullptr) {
    return;
  }
  is_word = *value == word;
  if (is_word) {
    target.reset();
    return;
  }
  target = static_cast<T>(*read_integer(key, {bounds.low, bounds.high}, word));
}

template <typename T>
void ObjectReader::integers(std::string_view key, std::vector<T>& target, Bounds<T> bounds,
                            Bounds<std::size_t> sizes, std::string_view /* help */) {
  if (const auto values = read_integers(key, {bounds.low, bounds.high}, sizes)) {
    target.assign(values->begin(), values->end());
  }
}

template <typename T>
void ObjectReader::integers(std::string_view key, std::optional<std::vector<T>>& target,
                            Bounds<T> bounds, Bounds<std::size_t> sizes, std::string_view help) {
  if (find(key) != nullptr) integers(key, target.emplace(), bounds, sizes, help);
}

template <std::size_t N>
void ObjectReader::one_of(std::string_view key, std::uint32_t& target,
                          const std::array<std::uint32_t, N>& allowed,
                          std::string_view /* help */) {
  const Json* value = find_wanted(key);
  if (value == nullptr) {
    return;
  }
  std::string list;
  for (const auto candidate : allowed) {
    if (value->is_number_integer() && *value == candidate) {
      target = candidate;
      return;
    }
    list += (list.empty() ? "" : ", ") + std::to_string(candidate);
  }
  refuse(key, "one of the integers " + list);
}

template <typename E, std::size_t N>
void ObjectReader::choice(std::string_view key, E& target, const ChoiceNames<E, N>& names,
                          std::string_view /* help */) {
  std::array<std::string_view, N> texts;
  for (std::size_t i = 0; i < N; ++i) {
    texts[i] = names[i].first;
  }
  if (const auto index = read_choice(key, texts)) {
    target = names[*index].second;
  }
}

template <typename Mask, std::size_t N>
void ObjectReader::set(std::string_view key, Mask& target, const std::array<const char*, N>& names,
                       std::string_view /* help */) {
  if (const auto mask = read_set(key, names)) {
    target = static_cast<Mask>(*mask);
  }
}

template <typename Named, typename Read>
void ObjectReader::named(std::string_view key, std::span<const std::string_view> names,
                         Named& target, Read read, std::string_view /* help */) {
  const Json* value = find_wanted(key);
  if (value == nullptr) {
    return;
  }
  if (!value->is_object()) {
    set_by_index(target, *read_choice(key, names, ", or an object of a \"name\" and parameters"));
    return;
  }
  ObjectReader reader(document_, *value, pointer_of(key), absent_);
  const auto index = reader.read_choice("name", names);
  if (!index) {
    reader.fail_without("name", names);
  }
  set_by_index(target, *index);
  read(reader);
  reader.finish();
}

template <typename Read>
void ObjectReader::range(std::string_view key, TimeRange& target, Read read,
                         std::string_view /* help */) {
  const Json* value = find_wanted(key);
  if (value == nullptr) {
    return;
  }
  if (!value->is_object()) {
    fixed(key, *value, target);
    return;
  }
  ObjectReader reader(document_, *value, pointer_of(key), absent_);
  reader.uniform(target);
  read(reader);
  reader.finish();
}

template <typename Read>
void ObjectReader::object(std::string_view key, Read read, std::string_view /* help */) {
  if (const Json* value = find_wanted(key)) {
    ObjectReader reader(document_, *value, pointer_of(key), absent_);
    read(reader);
    reader.finish();
  }
}

template <typename T, typename Read>
void ObjectReader::list(std::string_view key, std::vector<T>& target, Bounds<std::size_t> sizes,
                        Read read, std::string_view /* help */) {
  const std::string allowed = "an array of objects";
  const Json* value = find_wanted(key, allowed);
  if (value == nullptr) {
    return;
  }
  if (!value->is_array()) {
    refuse(key, allowed);
  }
  if (value->size() < sizes.low || value->size() > sizes.high) {
    fail(key, "found " + std::to_string(value->size()) + " elements; allowed: " +
                  std::to_string(sizes.low) + " to " + std::to_string(sizes.high));
  }
  target.assign(value->size(), T{});
  for (std::size_t i = 0; i < target.size(); ++i) {
    ObjectReader reader(document_, (*value)[i], pointer_to(pointer_of(key), i), absent_);
    read(reader, target[i]);
    reader.finish();
  }
}

}  // namespace ina::fields
