// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/protocol/wire/hash.hpp"

namespace ina::wire {

/// Ways to assign aggregators to a job's fragments.
enum class AddressingScheme : std::uint8_t {
  table,   ///< entry (PSN mod size) of a table of distinct indices (ATP's published code)
  hash,    ///< HASH(job, PSN) modulo the number of aggregators (ATP 3.5, DSA III.B)
  linear,  ///< PSN modulo the number of aggregators (ATP 5.3.2, the baseline)
};
/// Names in the order of AddressingScheme.
inline constexpr std::array<std::string_view, 3> kAddressingNames = {"table", "hash", "linear"};

constexpr std::string_view name_of(AddressingScheme scheme) {
  return kAddressingNames[static_cast<std::size_t>(scheme)];
}

/// Twice the number of aggregators that one job uses at a time at 100 Gbps (ATP 5.3.1), because a
/// lost fragment occupies its aggregator for another round trip.
inline constexpr std::uint32_t kTableEntries = 1320;

/// How a job's fragments get aggregators. All workers and servers of a job need equal settings.
struct AddressingConfig {
  std::uint32_t aggregators = 1;
  AddressingScheme scheme = AddressingScheme::hash;
  Hash hash = kDefaultHash;  ///< for `hash`, and for filling the tables of `table`
  bool rehash = false;       ///< for `hash`: after a collision, another index is used (ATP 3.6)
  /// For `table`: its size, which limits a worker's fragments in flight. At most `aggregators`.
  std::uint32_t table_entries = kTableEntries;

  bool operator==(const AddressingConfig&) const = default;
};

}  // namespace ina::wire
