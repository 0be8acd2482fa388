// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/protocol/wire/hash.hpp"

namespace ina::wire {

/// Assignment of aggregators to a job's fragments.
enum class AddressingScheme : std::uint8_t {
  table,   ///< a job's own table of distinct indices, PSN modulo its size (ATP's published code)
  hash,    ///< HASH(job, PSN) modulo the number of aggregators (ATP 3.5, DSA III.B)
  linear,  ///< PSN modulo the number of aggregators (ATP 5.3.2, the baseline)
};
/// Names in the order of AddressingScheme.
inline constexpr std::array<std::string_view, 3> kAddressingNames = {"table", "hash", "linear"};

constexpr std::string_view name_of(AddressingScheme scheme) {
  return kAddressingNames[static_cast<std::size_t>(scheme)];
}

/// Twice the aggregators that one job at 100 Gbps keeps busy (ATP 5.3.1): a lost fragment takes
/// another round trip.
inline constexpr std::uint32_t kTableEntries = 1320;

/// Must be equal at a job's workers and its server.
struct AddressingConfig {
  std::uint32_t aggregators = 1;
  AddressingScheme scheme = AddressingScheme::hash;
  Hash hash = kDefaultHash;  ///< for `hash`, and for filling the tables of `table`
  bool rehash = false;       ///< hash: a collision gives the index another one (ATP 3.6)
  /// table: maximum number of a worker's fragments in flight; limited to the number of aggregators.
  std::uint32_t table_entries = kTableEntries;

  bool operator==(const AddressingConfig&) const = default;
};

}  // namespace ina::wire
