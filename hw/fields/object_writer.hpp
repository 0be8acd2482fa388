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
#include "hw/fields/strict_json.hpp"
#include "hw/protocol/time.hpp"

namespace ina::fields {

/// Writes an object that ObjectReader can read, with functions of the same names. It ignores bounds
/// and lists of allowed values.
class ObjectWriter {
 public:
  Json json = Json::object();

  void require(std::string_view /* key */) {}

  template <typename T>
  void integer(std::string_view key, const T& value, Bounds<T> /* bounds */,
               std::string_view /* help */) {
    put(key, value);
  }

  template <typename T>
  void integer(std::string_view key, const std::optional<T>& value, Bounds<T> /* bounds */,
               std::string_view /* help */) {
    if (value) {
      put(key, *value);
    }
  }

  template <typename T>
  void integer_or(std::string_view word, std::string_view key, const std::optional<T>& value,
                  bool is_word, Bounds<T> bounds, std::string_view help) {
    if (is_word && !value) {
      put(key, word);
    } else {
      integer(key, value, bounds, help);
    }
  }

  template <std::size_t N>
  void one_of(std::string_view key, std::uint32_t value,
              const std::array<std::uint32_t, N>& /* allowed */, std::string_view /* help */) {
    put(key, value);
  }

  void boolean(std::string_view key, bool value, std::string_view /* help */) { put(key, value); }

  void implied(std::string_view key, bool value, std::string_view /* help */) { put(key, value); }

  void probability(std::string_view key, double value, std::string_view /* help */) {
    put(key, value);
  }

  template <typename Mask, std::size_t N>
  void set(std::string_view key, Mask mask, const std::array<const char*, N>& names,
           std::string_view /* help */) {
    auto array = Json::array();
    for (std::size_t i = 0; i < N; ++i) {
      if ((mask >> i & 1U) != 0) {
        array.push_back(names[i]);
      }
    }
    put(key, std::move(array));
  }

  void numbers(std::string_view key, const std::vector<std::uint64_t>& values,
               Bounds<std::uint64_t> /* bounds */, std::size_t /* most */,
               std::string_view /* help */) {
    put(key, values);
  }

  template <typename T>
  void integers(std::string_view key, const std::vector<T>& values, Bounds<T> /* bounds */,
                Bounds<std::size_t> /* sizes */, std::string_view /* help */) {
    put(key, values);
  }

  template <typename T>
  void integers(std::string_view key, const std::optional<std::vector<T>>& values,
                Bounds<T> /* bounds */, Bounds<std::size_t> /* sizes */,
                std::string_view /* help */) {
    if (values) {
      put(key, *values);
    }
  }

  void factors(std::string_view key, const std::vector<std::vector<double>>& values,
               std::string_view /* help */) {
    put(key, values);
  }

  /// Writes the rows, not the name: if a file was named, the rows are what was read from it.
  void table_or_name(std::string_view key, const std::vector<std::vector<double>>& rows,
                     const std::string& /* name */, std::string_view help) {
    factors(key, rows, help);
  }

  void picoseconds(std::string_view key, std::int64_t ps, Bounds<std::int64_t> /* bounds */,
                   std::string_view /* help */) {
    put(key, ps);
  }

  void picoseconds(std::string_view key, Time time, Bounds<std::int64_t> /* bounds */,
                   std::string_view /* help */) {
    put(key, time.count());
  }

  void picoseconds(std::string_view key, const std::optional<Time>& time,
                   Bounds<std::int64_t> bounds, std::string_view help) {
    if (time) {
      picoseconds(key, *time, bounds, help);
    }
  }

  void text(std::string_view key, const std::string& value, std::string_view /* help */) {
    put(key, value);
  }

  void text(std::string_view key, const std::optional<std::string>& value,
            std::string_view /* help */) {
    if (value) {
      put(key, *value);
    }
  }

  /// Writes nothing if there are no texts, and a single text without an array.
  void texts(std::string_view key, const std::vector<std::string>& values,
             Bounds<std::size_t> /* sizes */, std::string_view /* help */) {
    if (values.size() == 1) {
      put(key, values.front());
    } else if (!values.empty()) {
      put(key, values);
    }
  }

  void derived_text(std::string_view key, const std::string& value, std::string_view help) {
    text(key, value, help);
  }

  void constant(std::string_view key, std::string_view only, std::string_view /* help */) {
    put(key, only);
  }

  template <typename E, std::size_t N>
  void choice(std::string_view key, E value, const ChoiceNames<E, N>& names,
              std::string_view /* help */) {
    for (const auto& [name, candidate] : names) {
      if (candidate == value) {
        put(key, name);
      }
    }
  }

  template <typename E, std::size_t N, typename Write>
  void kind(std::string_view key, E value, const ChoiceNames<E, N>& names, Write write,
            std::string_view help) {
    choice(key, value, names, help);
    write(*this);
  }

  template <typename E, std::size_t N, typename Write>
  void type(std::string_view key, E value, const ChoiceNames<E, N>& names, Write write,
            std::string_view help) {
    kind(key, value, names, write, help);
  }

  /// Writes only the name if write(writer) writes no further keys.
  template <typename Named, typename Write>
  void named(std::string_view key, std::span<const std::string_view> names, const Named& target,
             Write write, std::string_view /* help */) {
    ObjectWriter inner;
    const std::string_view name = names[index_of(target)];
    inner.put("name", name);
    write(inner);
    put(key, inner.json.size() == 1 ? Json(name) : std::move(inner.json));
  }

  /// Writes nothing if the choice has the usual value.
  template <typename E, std::size_t N>
  void rare_choice(std::string_view key, E value, E usual, const ChoiceNames<E, N>& names,
                   std::string_view help) {
    if (value != usual) {
      choice(key, value, names, help);
    }
  }

  void time(std::string_view key, std::int64_t ps, Bounds<std::int64_t> /* bounds */,
            std::string_view /* help */) {
    put(key, format_time(ps));
  }

  void time(std::string_view key, Time time, Bounds<std::int64_t> /* bounds */,
            std::string_view /* help */) {
    put(key, format_time(time.count()));
  }

  void time(std::string_view key, const std::optional<std::int64_t>& ps,
            Bounds<std::int64_t> /* bounds */, std::string_view /* help */) {
    if (ps) {
      put(key, format_time(*ps));
    }
  }

  void time(std::string_view key, const std::optional<Time>& time, Bounds<std::int64_t> bounds,
            std::string_view help) {
    if (time) {
      this->time(key, *time, bounds, help);
    }
  }

  void time_or(std::string_view word, std::string_view key, const std::optional<Time>& time,
               bool is_word, Bounds<std::int64_t> bounds, std::string_view help) {
    if (is_word) {
      put(key, word);
    } else {
      this->time(key, time, bounds, help);
    }
  }

  void rate(std::string_view key, std::uint64_t bps, Bounds<std::uint64_t> /* bounds */,
            std::string_view /* help */) {
    put(key, format_rate(bps));
  }

  void rate(std::string_view key, const std::optional<std::uint64_t>& bps,
            Bounds<std::uint64_t> bounds, std::string_view help) {
    if (bps) {
      rate(key, *bps, bounds, help);
    }
  }

  void bytes(std::string_view key, std::uint64_t bytes, Bounds<std::uint64_t> /* bounds */,
             std::string_view /* help */) {
    put(key, format_bytes(bytes));
  }

  void range(std::string_view key, const TimeRange& range, std::string_view help) {
    this->range(
        key, range, [](ObjectWriter&) {}, help);
  }

  /// Writes a plain time if the range is fixed and write(writer) writes no further keys.
  template <typename Write>
  void range(std::string_view key, const TimeRange& range, Write write,
             std::string_view /* help */) {
    ObjectWriter inner;
    inner.json = uniform(range);
    write(inner);
    const bool fixed = range.low_ps == range.high_ps && inner.json.size() == 1;
    put(key, fixed ? Json(format_time(range.low_ps)) : std::move(inner.json));
  }

  template <typename Write>
  void object(std::string_view key, Write write, std::string_view /* help */) {
    ObjectWriter writer;
    write(writer);
    put(key, std::move(writer.json));
  }

  template <typename T, typename Write>
  void list(std::string_view key, const std::vector<T>& values, Bounds<std::size_t> /* sizes */,
            Write write, std::string_view /* help */) {
    auto array = Json::array();
    for (const auto& value : values) {
      ObjectWriter writer;
      write(writer, value);
      array.push_back(std::move(writer.json));
    }
    put(key, std::move(array));
  }

 private:
  static Json uniform(const TimeRange& range) {
    return {{"uniform", Json::array({format_time(range.low_ps), format_time(range.high_ps)})}};
  }

  void put(std::string_view key, Json value) { json[std::string(key)] = std::move(value); }
};

}  // namespace ina::fields
