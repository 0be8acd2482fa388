// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/schema_writer.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "hw/fields/quantity.hpp"

namespace ina::scenarios {

namespace {

/// Turns "ps, ns" into "ps|ns".
std::string one_of(std::string_view units) {
  std::string alternatives(units);
  std::erase(alternatives, ' ');
  std::ranges::replace(alternatives, ',', '|');
  return alternatives;
}

/// Schema of a decimal number with one of the units.
OrderedJson quantity(std::string_view noun, std::string_view units, bool may_be_zero,
                     const std::string& low, const std::string& high) {
  return {{"type", "string"},
          {"pattern", fmt::format("^{}[0-9]+(\\.[0-9]+)?({})$", may_be_zero ? "" : "(?=.*[1-9])",
                                  one_of(units))},
          {"title", fmt::format("{} from {} to {}", noun, low, high)}};
}

}  // namespace

OrderedJson SchemaWriter::integer_between(std::uint64_t low, std::uint64_t high) {
  return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
}

OrderedJson SchemaWriter::time_in(Bounds<std::int64_t> bounds) {
  return quantity("time", kTimeUnits, bounds.low == 0, format_time(bounds.low),
                  format_time(bounds.high));
}

OrderedJson SchemaWriter::rate_in(Bounds<std::uint64_t> bounds) {
  return quantity("rate", kRateUnits, bounds.low == 0, format_rate(bounds.low),
                  format_rate(bounds.high));
}

void SchemaWriter::rate(std::string_view key, std::uint64_t bps, Bounds<std::uint64_t> bounds,
                        std::string_view help) {
  put(key, rate_in(bounds), help, format_rate(bps));
}

void SchemaWriter::bytes(std::string_view key, std::uint64_t bytes, Bounds<std::uint64_t> bounds,
                         std::string_view help) {
  OrderedJson size = quantity("size", kByteUnits, bounds.low == 0, format_bytes(bounds.low),
                              format_bytes(bounds.high));
  size["type"] = OrderedJson::array({"string", "integer"});
  size["minimum"] = bounds.low;
  size["maximum"] = bounds.high;
  put(key, size, help, format_bytes(bytes));
}

void SchemaWriter::uniform() {
  require("uniform");
  put("uniform",
      {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", time_in(kAnyTime)}},
      "Minimum and maximum of a random time");
}

OrderedJson SchemaWriter::whole_object() const {
  OrderedJson object{{"type", "object"}, {"additionalProperties", false}};
  if (!required_.empty()) object["required"] = required_;
  object["properties"] = properties_;
  if (!conditions_.empty()) object["allOf"] = conditions_;
  return object;
}

OrderedJson SchemaWriter::name_or_parameters(const std::vector<OfOne>& of_each) {
  OrderedJson names = OrderedJson::array();
  for (const OfOne& one : of_each) names.push_back(one.name);
  OrderedJson properties{{"name", {{"description", "Name of the policy."}, {"enum", names}}}};
  OrderedJson owners = OrderedJson::object();
  for (const OfOne& one : of_each) {
    for (const auto& [key, schema] : one.properties.items()) {
      properties[key] = schema;
      owners[key]["properties"]["name"]["enum"].push_back(one.name);
    }
  }
  OrderedJson object{{"type", "object"},
                     {"required", {"name"}},
                     {"additionalProperties", false},
                     {"properties", std::move(properties)},
                     {"dependentSchemas", std::move(owners)}};
  return {{"oneOf", {{{"enum", std::move(names)}}, std::move(object)}}};
}

OrderedJson SchemaWriter::put_those_of(const std::vector<OfOne>& of_each) {
  OrderedJson owners = OrderedJson::object();
  for (const OfOne& one : of_each) {
    for (const auto& [own, schema] : one.properties.items()) {
      properties_[own] = schema;
      owners[own].push_back(one.name);
    }
  }
  return owners;
}

void SchemaWriter::refuse_those_of_others(std::string_view key, const std::vector<OfOne>& of_each) {
  const OrderedJson owners = put_those_of(of_each);
  for (const auto& [own, names] : owners.items()) {
    OrderedJson others = OrderedJson::array();
    for (const OfOne& one : of_each) {
      if (std::ranges::find(names, OrderedJson(one.name)) == names.end())
        others.push_back(one.name);
    }
    if (others.empty()) continue;
    OrderedJson is_another{{"properties", {{key, {{"enum", std::move(others)}}}}},
                           {"required", {key}}};
    conditions_.push_back(
        {{"if", std::move(is_another)}, {"then", {{"properties", {{own, false}}}}}});
  }
}

void SchemaWriter::require_those_of(std::string_view key, const std::vector<OfOne>& of_each) {
  const OrderedJson owners = put_those_of(of_each);
  for (const auto& [own, names] : owners.items()) {
    const OrderedJson who_must = names_of_those_that_require(own, of_each);
    if (who_must.size() == of_each.size()) {
      require(own);
      continue;
    }
    OrderedJson has{{"if", {{"properties", {{key, {{"enum", names}}}}}}}};
    if (who_must == names) has["then"] = {{"required", {own}}};
    has["else"] = {{"properties", {{own, false}}}};
    conditions_.push_back(std::move(has));
    if (who_must == names || who_must.empty()) continue;
    conditions_.push_back(
        {{"if", {{"properties", {{key, {{"enum", who_must}}}}}}}, {"then", {{"required", {own}}}}});
  }
}

OrderedJson SchemaWriter::names_of_those_that_require(std::string_view key,
                                                      const std::vector<OfOne>& of_each) {
  OrderedJson names = OrderedJson::array();
  for (const OfOne& one : of_each) {
    if (std::ranges::find(one.required, key) != one.required.end()) names.push_back(one.name);
  }
  return names;
}

void SchemaWriter::put(std::string_view key, const OrderedJson& schema, std::string_view help,
                       const OrderedJson& usual) {
  OrderedJson described{{"description", fmt::format("{}.", help)}};
  described.update(schema);
  if (!usual.is_null() && std::ranges::find(required_, key) == required_.end()) {
    described["default"] = usual;
  }
  properties_[std::string(key)] = std::move(described);
}

}  // namespace ina::scenarios
