// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/wire/hash.hpp"

namespace ina::wire {

/// Chooses distinct aggregators for a job's table: the job's hashes of 0, 1, 2 ..., without
/// repetitions. Different jobs thus use the aggregators in different orders.
class DistinctIndices {
 public:
  DistinctIndices(JobId job, std::uint32_t aggregators, Hash hash)
      : hash_(job, aggregators, hash), taken_(aggregators) {}

  /// Returns the next free index, or nothing if all are taken.
  std::optional<std::uint32_t> draw();
  void give_back(std::uint32_t index);
  /// Excludes an index from draw() until it is given back.
  void take(std::uint32_t index);

  /// Draws the initial indices of a table: `entries`, but at most the number of aggregators.
  std::vector<std::uint32_t> draw_table(std::uint32_t entries);

 private:
  BOOST_DESCRIBE_CLASS(DistinctIndices, (), (), (), (taken_, count_, drawn_))

  AggregatorHash hash_;
  std::vector<std::uint8_t> taken_;
  std::uint32_t count_ = 0;  // number of taken indices
  Psn drawn_ = 0;
};

}  // namespace ina::wire
