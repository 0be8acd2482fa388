// SPDX-License-Identifier: BSD-3-Clause
// A file with a model's profile: it is refused with one clear line, or it is the same when it is
// written and read again.
#include <cstdint>
#include <string_view>
#include <utility>

#include "ns3-modules/ina-cluster/model/object-writer.h"
#include "ns3-modules/ina-cluster/model/scenario-fields.h"
#include "ns3-modules/ina-cluster/model/trace-files.h"
#include "tests/fuzz/refusal.hpp"

namespace ina::fuzz {
namespace {

constexpr auto kFile = "model.json";

ns3::ModelProfile read(std::string_view text) {
  const auto document = ns3::ScenarioDocument::Parse(kFile, text);
  ns3::ObjectReader reader(document, document.Root(), "");
  auto profile = ns3::ReadProfile(reader, "model");
  reader.Finish();
  return profile;
}

std::string written(const ns3::ModelProfile& profile) {
  ns3::ObjectWriter writer;
  ns3::VisitProfile(writer, profile);
  if (!profile.send_order.empty()) writer.json["send_order"] = profile.send_order;
  return writer.json.dump();
}

void check(const ns3::ModelProfile& profile) {
  std::uint64_t partitions = 0;
  for (const auto& layer : profile.layers) {
    partitions += ns3::PartitionCount(layer, profile.partition_bytes);
  }
  require(partitions > 0, "there is something to send");
  require(profile.send_order.empty() || profile.send_order.size() == partitions,
          "an order has every partition");
  require(read(written(profile)) == profile, "a profile that is written is the same");
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ns3::ModelProfile profile;
  try {
    profile = ina::fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const ns3::ScenarioError& error) {
    ina::fuzz::require_one_clear_line(error, ina::fuzz::kFile);
    return 0;
  }
  ina::fuzz::check(profile);
  return 0;
}
