// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/reader/object_reader.hpp"
#include "scenarios/reader/quantity.hpp"

namespace ina::scenarios {

/// Writes what ObjectReader reads, by functions of the same names; bounds and lists of what is
/// allowed are for it.
class ObjectWriter {
 public:
  Json json = Json::object();

  void require(std::string_view /* key */) {}

  template <typename T>
  void integer(std::string_view key, const T& value, Bounds<T> /* bounds */) {
    put(key, value);
  }

  template <typename T>
  void integer(std::string_view key, const std::optional<T>& value, Bounds<T> /* bounds */) {
    if (value) {
      put(key, *value);
    }
  }

  template <std::size_t N>
  void one_of(std::string_view key, std::uint32_t value,
              const std::array<std::uint32_t, N>& /* allowed */) {
    put(key, value);
  }

  void boolean(std::string_view key, bool value) { put(key, value); }

  void probability(std::string_view key, double value) { put(key, value); }

  template <typename Mask, std::size_t N>
  void set(std::string_view key, Mask mask, const std::array<const char*, N>& names) {
    auto array = Json::array();
    for (std::size_t i = 0; i < N; ++i) {
      if ((mask >> i & 1U) != 0) {
        array.push_back(names[i]);
      }
    }
    put(key, std::move(array));
  }

  void numbers(std::string_view key, const std::vector<std::uint64_t>& values,
               Bounds<std::uint64_t> /* bounds */, std::size_t /* most */) {
    put(key, values);
  }

  void text(std::string_view key, const std::string& value) { put(key, value); }

  void constant(std::string_view key, std::string_view only) { put(key, only); }

  template <typename E, std::size_t N>
  void choice(std::string_view key, E value, const ChoiceNames<E, N>& names) {
    for (const auto& [name, candidate] : names) {
      if (candidate == value) {
        put(key, name);
      }
    }
  }

  /// By its name alone if it has no parameters.
  void policy(std::string_view key, const policies::CollisionPolicy& policy) {
    if (policies::parameters_of(policy).empty()) {
      put(key, policies::name_of(policy));
      return;
    }
    object(key, [&](ObjectWriter& inner) {
      inner.text("name", std::string(policies::name_of(policy)));
      policies::for_each_parameter(policy, [&](const policies::Parameter& parameter, auto& value) {
        visit_parameter(inner, parameter, value);
      });
    });
  }

  void time(std::string_view key, std::int64_t ps, Bounds<std::int64_t> /* bounds */) {
    put(key, format_time(ps));
  }

  void time(std::string_view key, const std::optional<std::int64_t>& ps,
            Bounds<std::int64_t> /* bounds */) {
    if (ps) {
      put(key, format_time(*ps));
    }
  }

  void time_or(std::string_view word, std::string_view key, const std::optional<std::int64_t>& ps,
               Bounds<std::int64_t> /* bounds */) {
    put(key, ps ? format_time(*ps) : std::string(word));
  }

  void rate(std::string_view key, std::uint64_t bps, Bounds<std::uint64_t> /* bounds */) {
    put(key, format_rate(bps));
  }

  void bytes(std::string_view key, std::uint64_t bytes, Bounds<std::uint64_t> /* bounds */) {
    put(key, format_bytes(bytes));
  }

  void range(std::string_view key, const TimeRange& range) {
    put(key, range.low_ps == range.high_ps ? Json(format_time(range.low_ps)) : uniform(range));
  }

  void jitter(std::string_view key, const JitterScenario& jitter) {
    if (jitter.per == JitterScenario{}.per) {
      range(key, jitter.range);
      return;
    }
    ObjectWriter writer;
    writer.json = uniform(jitter.range);
    writer.choice("per", jitter.per, kJitterNames);
    put(key, std::move(writer.json));
  }

  template <typename Write>
  void object(std::string_view key, Write write) {
    ObjectWriter writer;
    write(writer);
    put(key, std::move(writer.json));
  }

  template <typename T, typename Write>
  void list(std::string_view key, const std::vector<T>& values, Bounds<std::size_t> /* sizes */,
            Write write) {
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

}  // namespace ina::scenarios
