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
#include "hw/fields/object_writer.hpp"
#include "hw/protocol/time.hpp"

namespace ina::scenarios {

using namespace fields;

/// JSON whose keys keep their order of insertion.
using OrderedJson = nlohmann::ordered_json;

/// Writes a JSON Schema (draft 2020-12) of the keys that ObjectReader reads. The two classes have
/// the same member functions. The visited object must contain the defaults. Its keys that determine
/// which further keys exist are changed temporarily. The allowed range of a quantity is stated in
/// its "title", since no schema keyword can express it.
class SchemaWriter {
 public:
  /// All keys visited so far, in order.
  const OrderedJson& properties() const { return properties_; }

  void require(std::string_view key) { required_.emplace_back(key); }

  template <typename T>
  void integer(std::string_view key, const T& value, Bounds<T> bounds, std::string_view help) {
    put(key, integer_in(bounds), help, value);
  }

  template <typename T>
  void integer(std::string_view key, const std::optional<T>& value, Bounds<T> bounds,
               std::string_view help) {
    put(key, integer_in(bounds), help, value ? OrderedJson(*value) : OrderedJson());
  }

  template <typename T>
  void integer_or(std::string_view word, std::string_view key, const std::optional<T>& value,
                  bool /* is_word */, Bounds<T> bounds, std::string_view help) {
    put(key, {{"anyOf", {{{"enum", {word}}}, integer_in(bounds)}}}, help,
        value ? OrderedJson(*value) : OrderedJson());
  }

  template <std::size_t N>
  void one_of(std::string_view key, std::uint32_t value,
              const std::array<std::uint32_t, N>& allowed, std::string_view help) {
    put(key, {{"enum", allowed}}, help, value);
  }

  void boolean(std::string_view key, bool value, std::string_view help) {
    put(key, {{"type", "boolean"}}, help, value);
  }

  void probability(std::string_view key, double value, std::string_view help) {
    put(key, {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, help, value);
  }

  void text(std::string_view key, const std::string& value, std::string_view help) {
    put(key, {{"type", "string"}}, help, value);
  }

  void text(std::string_view key, const std::optional<std::string>& value, std::string_view help) {
    put(key, {{"type", "string"}}, help, value ? OrderedJson(*value) : OrderedJson());
  }

  void texts(std::string_view key, const std::vector<std::string>& /* values */,
             Bounds<std::size_t> sizes, std::string_view help) {
    const OrderedJson several = {{"type", "array"},
                                 {"minItems", sizes.low},
                                 {"maxItems", sizes.high},
                                 {"uniqueItems", true},
                                 {"items", {{"type", "string"}}}};
    put(key, sizes.low > 1 ? several : OrderedJson{{"oneOf", {{{"type", "string"}}, several}}},
        help);
  }

  void derived_text(std::string_view key, const std::string& /* value */, std::string_view help) {
    put(key, {{"type", "string"}}, help);
  }

  void constant(std::string_view key, std::string_view only, std::string_view help) {
    put(key, {{"enum", {only}}}, help, only);
  }

  template <typename E, std::size_t N>
  void choice(std::string_view key, E value, const ChoiceNames<E, N>& names,
              std::string_view help) {
    put(key, one_name_of(names), help,
        as_written([&](ObjectWriter& writer) { writer.choice("value", value, names, help); }));
  }

  template <typename E, std::size_t N>
  void rare_choice(std::string_view key, E /* value */, E usual, const ChoiceNames<E, N>& names,
                   std::string_view help) {
    choice(key, usual, names, help);
  }

  template <typename E, std::size_t N, typename Read>
  void kind(std::string_view key, E& target, const ChoiceNames<E, N>& names, Read read,
            std::string_view help) {
    require(key);
    put(key, one_name_of(names), help);
    require_those_of(key, with_each(target, names, read));
  }

  template <typename E, std::size_t N, typename Read>
  void type(std::string_view key, E& target, const ChoiceNames<E, N>& names, Read read,
            std::string_view help) {
    choice(key, target, names, help);
    refuse_those_of_others(key, with_each(target, names, read));
  }

  template <typename Named, typename Read>
  void named(std::string_view key, std::span<const std::string_view> names, Named& target,
             Read read, std::string_view help) {
    const std::size_t usual = index_of(target);
    const Named kept = target;
    std::vector<OfOne> of_each;
    for (std::size_t i = 0; i < names.size(); ++i) {
      set_by_index(target, i);
      SchemaWriter inner;
      read(inner);
      of_each.push_back({names[i], std::move(inner.properties_)});
    }
    target = kept;
    put(key, name_or_parameters(of_each), help, names[usual]);
  }

  template <typename Mask, std::size_t N>
  void set(std::string_view key, Mask mask, const std::array<const char*, N>& names,
           std::string_view help) {
    put(key,
        {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", {{"enum", names}}}},
        help, as_written([&](ObjectWriter& writer) { writer.set("value", mask, names, help); }));
  }

  void numbers(std::string_view key, const std::vector<std::uint64_t>& values,
               Bounds<std::uint64_t> bounds, std::size_t most, std::string_view help) {
    put(key,
        {{"type", "array"},
         {"maxItems", most},
         {"uniqueItems", true},
         {"items", integer_in(bounds)}},
        help, values);
  }

  void table_or_name(std::string_view key, const std::vector<std::vector<double>>& /* rows */,
                     const std::string& /* name */, std::string_view help) {
    const OrderedJson row{
        {"type", "array"}, {"minItems", 1}, {"items", {{"type", "number"}, {"minimum", 0}}}};
    put(key,
        {{"oneOf", {{{"type", "string"}, {"minLength", 1}}, {{"type", "array"}, {"items", row}}}}},
        help);
  }

  template <typename T>
  void integers(std::string_view key, const std::optional<std::vector<T>>& values, Bounds<T> bounds,
                Bounds<std::size_t> sizes, std::string_view help) {
    put(key,
        {{"type", "array"},
         {"minItems", sizes.low},
         {"maxItems", sizes.high},
         {"items", integer_in(bounds)}},
        help, values ? OrderedJson(*values) : OrderedJson());
  }

  void time(std::string_view key, std::int64_t ps, Bounds<std::int64_t> bounds,
            std::string_view help) {
    put(key, time_in(bounds), help, format_time(ps));
  }

  void time(std::string_view key, Time time, Bounds<std::int64_t> bounds, std::string_view help) {
    put(key, time_in(bounds), help, format_time(time.count()));
  }

  void time(std::string_view key, const std::optional<std::int64_t>& ps,
            Bounds<std::int64_t> bounds, std::string_view help) {
    put(key, time_in(bounds), help, ps ? OrderedJson(format_time(*ps)) : OrderedJson());
  }

  void time(std::string_view key, const std::optional<Time>& time, Bounds<std::int64_t> bounds,
            std::string_view help) {
    put(key, time_in(bounds), help, time ? OrderedJson(format_time(time->count())) : OrderedJson());
  }

  void time_or(std::string_view word, std::string_view key, const std::optional<Time>& time,
               bool is_word, Bounds<std::int64_t> bounds, std::string_view help) {
    ObjectWriter writer;
    writer.time_or(word, "value", time, is_word, bounds, help);
    put(key, {{"anyOf", {{{"enum", {word}}}, time_in(bounds)}}}, help, writer.json["value"]);
  }

  void rate(std::string_view key, std::uint64_t bps, Bounds<std::uint64_t> bounds,
            std::string_view help);
  void rate(std::string_view key, const std::optional<std::uint64_t>& bps,
            Bounds<std::uint64_t> bounds, std::string_view help) {
    put(key, rate_in(bounds), help, bps ? OrderedJson(format_rate(*bps)) : OrderedJson());
  }
  void bytes(std::string_view key, std::uint64_t bytes, Bounds<std::uint64_t> bounds,
             std::string_view help);

  void range(std::string_view key, const TimeRange& range, std::string_view help) {
    this->range(
        key, range, [](SchemaWriter&) {}, help);
  }

  template <typename Read>
  void range(std::string_view key, const TimeRange& range, Read read, std::string_view help) {
    SchemaWriter inner;
    inner.uniform();
    read(inner);
    put(key, {{"oneOf", {time_in(kAnyTime), inner.whole_object()}}}, help,
        as_written([&](ObjectWriter& writer) { writer.range("value", range, help); }));
  }

  /// No key in the object is required, since the file that a scenario extends may contain it.
  template <typename Read>
  void object(std::string_view key, Read read, std::string_view help) {
    SchemaWriter inner;
    read(inner);
    inner.required_.clear();
    put(key, inner.whole_object(), help);
  }

  template <typename T, typename Read>
  void list(std::string_view key, const std::vector<T>& /* values */, Bounds<std::size_t> sizes,
            Read read, std::string_view help) {
    SchemaWriter inner;
    T element{};
    read(inner, element);
    OrderedJson array{{"type", "array"}, {"maxItems", sizes.high}};
    if (sizes.low != 0) array["minItems"] = sizes.low;
    array["items"] = inner.whole_object();
    put(key, array, help, OrderedJson::array());
  }

 private:
  /// The keys that exist for one value of a choice.
  struct OfOne {
    std::string_view name;
    OrderedJson properties;
    std::vector<std::string> required = {};
  };

  static OrderedJson integer_between(std::uint64_t low, std::uint64_t high);
  template <typename T>
  static OrderedJson integer_in(Bounds<T> bounds) {
    return integer_between(static_cast<std::uint64_t>(bounds.low),
                           static_cast<std::uint64_t>(bounds.high));
  }
  static OrderedJson time_in(Bounds<std::int64_t> bounds);
  static OrderedJson rate_in(Bounds<std::uint64_t> bounds);
  template <typename E, std::size_t N>
  static OrderedJson one_name_of(const ChoiceNames<E, N>& names) {
    OrderedJson texts = OrderedJson::array();
    for (const auto& [name, value] : names) texts.push_back(name);
    return {{"enum", std::move(texts)}};
  }
  /// The JSON that write(writer) writes as "value".
  template <typename Write>
  static OrderedJson as_written(Write write) {
    ObjectWriter writer;
    write(writer);
    return writer.json.at("value");
  }
  static OrderedJson name_or_parameters(const std::vector<OfOne>& of_each);

  /// Schema of an object that must be complete in its file, such as an array element.
  OrderedJson whole_object() const;
  void uniform();
  /// Collects the keys that `read` visits for each value of `target`.
  template <typename E, std::size_t N, typename Read>
  static std::vector<OfOne> with_each(E& target, const ChoiceNames<E, N>& names, Read read) {
    const E kept = target;
    std::vector<OfOne> of_each;
    for (const auto& [name, value] : names) {
      target = value;
      SchemaWriter inner;
      read(inner);
      of_each.push_back({name, std::move(inner.properties_), std::move(inner.required_)});
    }
    target = kept;
    return of_each;
  }
  /// Adds the keys of all values. Returns, for each key, the names of the values that have it.
  OrderedJson put_those_of(const std::vector<OfOne>& of_each);
  /// Allows each key only for the values of a kind that have it, and requires the key for the
  /// values that need it.
  void require_those_of(std::string_view key, const std::vector<OfOne>& of_each);
  static OrderedJson names_of_those_that_require(std::string_view key,
                                                 const std::vector<OfOne>& of_each);
  /// Allows each key only for the types that have it. No key is required. If the type is absent,
  /// every key is allowed, because the object may be merged into one that has a type.
  void refuse_those_of_others(std::string_view key, const std::vector<OfOne>& of_each);
  /// Omits the default if it is null or the key is required.
  void put(std::string_view key, const OrderedJson& schema, std::string_view help,
           const OrderedJson& usual = nullptr);

  OrderedJson properties_ = OrderedJson::object();
  std::vector<std::string> required_;
  OrderedJson conditions_ = OrderedJson::array();
};

}  // namespace ina::scenarios
