// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/distinct_indices.hpp"

namespace ina {

/// What a server's results say of aggregators (ATP 3.6). `hash` with rehash: a result that collided
/// carries the index that takes the place of its own for ever. `table`: every result names the
/// index of its fragment's entry from now on; one that collided first gives the entry another
/// index, which no entry has. So whatever a worker missed, or a server that restarted has
/// forgotten, the next result of the entry puts right.
class IndexNaming {
 public:
  IndexNaming(JobId job, const wire::AddressingConfig& config);

  /// Writes into a result under which aggregator the workers go on. `collided`: some of it came to
  /// the server because of that.
  void name(Frame& result, bool collided);

  /// Whether what a result names belongs to its PSN, not to the aggregator that it frees.
  bool is_of_psn() const { return !table_.empty(); }

 private:
  void replace(std::uint32_t& index);

  BOOST_DESCRIBE_CLASS(IndexNaming, (), (), (), (table_, free_))

  wire::AddressingConfig config_;
  wire::AggregatorHash hash_;
  wire::DistinctIndices free_;
  std::vector<std::uint32_t> table_;  // empty: another scheme
};

}  // namespace ina
