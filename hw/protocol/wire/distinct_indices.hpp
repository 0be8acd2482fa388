// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/wire/hash.hpp"

namespace ina::wire {

/// Draws aggregators for a job's table, none twice at a time: those that the job's hash gives to
/// 0, 1, 2 ..., each job's in another order.
class DistinctIndices {
 public:
  DistinctIndices(JobId job, std::uint32_t aggregators, Hash hash)
      : hash_(job, aggregators, hash), taken_(aggregators) {}

  /// None if all are taken.
  std::optional<std::uint32_t> draw();
  void give_back(std::uint32_t index);
  /// It is never drawn, unless it is given back.
  void take(std::uint32_t index);

  /// The first indices of a table: as many as its entries, at most all.
  std::vector<std::uint32_t> draw_table(std::uint32_t entries);

 private:
  BOOST_DESCRIBE_CLASS(DistinctIndices, (), (), (), (taken_, count_, drawn_))

  AggregatorHash hash_;
  std::vector<std::uint8_t> taken_;
  std::uint32_t count_ = 0;  // that are taken
  Psn drawn_ = 0;
};

}  // namespace ina::wire
