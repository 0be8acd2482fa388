// SPDX-License-Identifier: BSD-3-Clause
// A trace of compute-time factors. It is rejected with a one-line message, or every worker has
// factors within the limit and the table survives writing and reading.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/reader/trace_files.hpp"
#include "tests/fuzz/refusal.hpp"

namespace ina::fuzz {
namespace {

constexpr auto kFile = "factors.csv";

std::string written(const ina::scenarios::FactorTable& table) {
  std::string text = "worker,iteration,relative_time\n";
  for (std::size_t worker = 0; worker < table.size(); ++worker) {
    for (std::size_t i = 0; i < table[worker].size(); ++i) {
      text += fmt::format("{},{},{}\n", worker, i, table[worker][i]);
    }
  }
  return text;
}

void check(const ina::scenarios::FactorTable& table) {
  require(!table.empty(), "there is a worker");
  for (const auto& worker : table) {
    require(!worker.empty(), "every worker has a factor");
    for (const double factor : worker) {
      require(factor > 0 && factor <= ina::scenarios::kMaxComputeTimeFactor,
              "factors are within the limit");
    }
  }
  require(ina::scenarios::parse_compute_time_factors(written(table), kFile) == table,
          "a table that is written is the same");
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ina::scenarios::FactorTable table;
  try {
    table = ina::scenarios::parse_compute_time_factors({reinterpret_cast<const char*>(data), size},
                                                       ina::fuzz::kFile);
  } catch (const ina::fields::InputError& error) {
    ina::fuzz::require_one_clear_line(error, ina::fuzz::kFile);
    return 0;
  }
  ina::fuzz::check(table);
  return 0;
}
