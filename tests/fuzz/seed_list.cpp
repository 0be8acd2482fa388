// SPDX-License-Identifier: BSD-3-Clause
// The value of "seeds" is rejected with a one-line message, or its seeds are distinct, within the
// limits, and survive writing as an array.
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "scenarios/reader/seed_list.hpp"
#include "tests/fuzz/refusal.hpp"

namespace ina::fuzz {
namespace {

constexpr auto kFile = "seeds.json";
constexpr std::size_t kMaxCount = 1000;

std::vector<std::uint64_t> read(std::string_view text) {
  const auto document = ina::scenarios::ScenarioDocument::parse(kFile, text);
  return ina::scenarios::read_seeds(document, "/seeds", document.root(), kMaxCount);
}

void check(const std::vector<std::uint64_t>& seeds) {
  const std::set<std::uint64_t> sorted(seeds.begin(), seeds.end());
  require(!seeds.empty() && seeds.size() <= kMaxCount, "their number is within the limit");
  require(sorted.size() == seeds.size(), "no seed stands there twice");
  require(*sorted.begin() >= 1 && *sorted.rbegin() <= ina::scenarios::kMaxSeed,
          "they are within the limit");
  require(read(ina::fields::Json(seeds).dump()) == seeds, "an array of them is the same");
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> seeds;
  try {
    seeds = ina::fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const ina::fields::InputError& error) {
    ina::fuzz::require_one_clear_line(error, ina::fuzz::kFile);
    return 0;
  }
  ina::fuzz::check(seeds);
  return 0;
}
