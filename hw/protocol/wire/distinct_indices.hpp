// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/wire/hash.hpp"

namespace ina::wire {

/// Draws distinct aggregators for a job's table: the job's hashes of 0, 1, 2 ..., whose order
/// differs between jobs.
class DistinctIndices {
 public:
  DistinctIndices(JobId job, std::uint32_t aggregators, Hash hash)
      : hash_(job, aggregators, hash), taken_(aggregators) {}

  /// Empty if all are taken.
  std::optional<std::uint32_t> draw();
  void give_back(std::uint32_t index);
  /// Excludes an index from draw() until it is given back.
  void take(std::uint32_t index);

  /// The first indices of a table: as many as its entries, but at most all.
  std::vector<std::uint32_t> draw_table(std::uint32_t entries);

 private:
  BOOST_DESCRIBE_CLASS(DistinctIndices, (), (), (), (taken_, count_, drawn_))

  AggregatorHash hash_;
  std::vector<std::uint8_t> taken_;
  std::uint32_t count_ = 0;  // number of taken indices
  Psn drawn_ = 0;
};

}  // namespace ina::wire
