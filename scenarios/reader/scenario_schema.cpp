// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_schema.hpp"

#include <cstdint>

#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/reader/schema_frame.hpp"
#include "scenarios/reader/schema_writer.hpp"

namespace ina::scenarios {

namespace {

/// Schema of the fields that visit(writer, defaults) visits.
template <typename Defaults, typename Visit>
OrderedJson fields_of(Visit visit) {
  SchemaWriter writer;
  Defaults defaults;
  visit(writer, defaults);
  return writer.properties();
}

/// The same keys as references to the definitions of the whole scenario.
OrderedJson references_to(const OrderedJson& fields) {
  OrderedJson references = OrderedJson::object();
  for (const auto& [key, schema] : fields.items()) {
    references[key]["$ref"] = "#/properties/" + key;
  }
  return references;
}

/// Replaces each "$fields" in the frame by the fields of that name.
OrderedJson filled(const OrderedJson& frame, const OrderedJson& fields) {
  if (!frame.is_object()) {
    return frame;
  }
  OrderedJson whole = OrderedJson::object();
  for (const auto& [key, part] : frame.items()) {
    if (key == "$fields") {
      whole.update(fields.at(part.get<std::string>()));
    } else {
      whole[key] = filled(part, fields);
    }
  }
  return whole;
}

}  // namespace

std::string scenario_schema() {
  OrderedJson fields;
  fields["scenario"] =
      fields_of<Scenario>([](auto& writer, auto& scenario) { visit_scenario(writer, scenario); });
  fields["variant"] = references_to(fields["scenario"]);
  fields["variant"].erase("description");
  fields["job"] = fields_of<JobScenario>([](auto& writer, auto& job) {
    const std::uint32_t one = 1;
    visit_count(writer, one);
    visit_job(writer, job);
  });
  fields["profile"] =
      fields_of<ModelProfile>([](auto& writer, auto& profile) { visit_profile(writer, profile); });
  return filled(OrderedJson::parse(kSchemaFrame), fields).dump(2) + '\n';
}

}  // namespace ina::scenarios
