// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/report/compiled.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace ina::report {
namespace {

using nlohmann::json;

unsigned count(const json& stage, const char* resource, const char* units) {
  return static_cast<unsigned>(stage.at(resource).at(units).get_ref<const json::array_t&>().size());
}

rmt::StageUse use_of(const json& stage) {
  return {.sram_blocks = count(stage, "rams", "srams"),
          .map_rams = count(stage, "map_rams", "maprams"),
          .meter_alus = count(stage, "meter_alus", "meters"),
          .tcam_blocks = count(stage, "tcams", "tcams"),
          .logical_tables = count(stage, "logical_tables", "ids"),
          .hash_distribution_units = count(stage, "hash_distribution_units", "units")};
}

}  // namespace

std::vector<rmt::StageUse> read_compiled(const std::filesystem::path& folder,
                                         const rmt::Chip& chip) {
  const std::filesystem::path file = folder / "pipe" / "logs" / "resources.json";
  std::ifstream stream(file);
  if (!stream) {
    throw NotCompiled(fmt::format("{}: cannot be read; p4c-barefoot -g --verbose -o {} writes it",
                                  file.string(), folder.string()));
  }
  std::vector<rmt::StageUse> stages;
  try {
    const json content = json::parse(stream);
    for (const json& stage : content.at("resources").at("mau").at("mau_stages")) {
      stages.push_back(use_of(stage));
    }
  } catch (const json::exception& error) {
    throw NotCompiled(fmt::format("{}: {}", file.string(), error.what()));
  }
  if (stages.size() != chip.stages) {
    throw NotCompiled(fmt::format("{}: the program has {} stages; {} has {}", file.string(),
                                  stages.size(), chip.name, chip.stages));
  }
  return stages;
}

}  // namespace ina::report
