// SPDX-License-Identifier: BSD-3-Clause
// A file with a model's profile. It is rejected with a one-line message, or it survives writing and
// reading.
#include <cstdint>
#include <string_view>
#include <utility>

#include "hw/fields/object_writer.hpp"
#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/reader/trace_files.hpp"
#include "tests/fuzz/refusal.hpp"

namespace ina::fuzz {
namespace {

constexpr auto kFile = "model.json";

ina::cluster::ModelProfile read(std::string_view text) {
  const auto document = ina::scenarios::ScenarioDocument::parse(kFile, text);
  ina::fields::ObjectReader reader(document, document.root(), "");
  auto profile = ina::scenarios::read_profile(reader, "model");
  reader.finish();
  return profile;
}

std::string written(const ina::cluster::ModelProfile& profile) {
  ina::scenarios::ObjectWriter writer;
  ina::scenarios::visit_profile(writer, profile);
  if (!profile.send_order.empty()) writer.json["send_order"] = profile.send_order;
  return writer.json.dump();
}

void check(const ina::cluster::ModelProfile& profile) {
  const std::uint64_t partitions = ina::scenarios::partition_count(profile);
  require(partitions > 0, "there is something to send");
  require(profile.send_order.empty() || profile.send_order.size() == partitions,
          "an order has every partition");
  require(read(written(profile)) == profile, "a profile that is written is the same");
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ina::cluster::ModelProfile profile;
  try {
    profile = ina::fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const ina::fields::InputError& error) {
    ina::fuzz::require_one_clear_line(error, ina::fuzz::kFile);
    return 0;
  }
  ina::fuzz::check(profile);
  return 0;
}
