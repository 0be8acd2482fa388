// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/racks.hpp"

#include <algorithm>
#include <string>

namespace ina::endpoints {

namespace {

/// As in a scenario.
constexpr std::uint16_t kMostRacks = 256;

}  // namespace

Racks read_racks(const Fields& file, wire::Levels levels) {
  const Fields fields = file.object("racks");
  return {.count = fields.integer<std::uint16_t>("count", 1, kMostRacks), .levels = levels};
}

std::vector<std::uint16_t> read_racks_of_workers(const Fields& job, std::size_t workers,
                                                 const Racks& racks) {
  const std::vector<std::uint64_t> numbers = job.numbers("racks");
  const bool known =
      std::ranges::all_of(numbers, [&](std::uint64_t rack) { return rack < racks.count; });
  if (numbers.size() != workers || !known) {
    job.refuse("racks", "a rack for each worker, from 0 to " + std::to_string(racks.count - 1));
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace ina::endpoints
