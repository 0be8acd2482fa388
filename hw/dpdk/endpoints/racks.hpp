// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/dpdk/endpoints/fields.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"

namespace ina::endpoints {

/// The racks of a cluster, each with a switch. The parameter servers are in the last one, on whose
/// switch the others hang. A star is one rack.
struct Racks {
  std::uint16_t count = 1;
  wire::Levels levels = wire::Levels::two;

  std::uint16_t of_servers() const { return static_cast<std::uint16_t>(count - 1); }
};

/// Of the content of a cluster file. Throws InputError.
Racks read_racks(const Fields& file, wire::Levels levels);

/// The racks of a job's workers, by rank. Throws InputError.
std::vector<std::uint16_t> read_racks_of_workers(const Fields& job, std::size_t workers,
                                                 const Racks& racks);

}  // namespace ina::endpoints
