// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/distinct_indices.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina {

/// What a server's results say of aggregators (ATP 3.6). `hash` with rehash: a result that collided
/// carries the index that takes the place of its own for ever. `table`: every result names the
/// index of its fragment's entry from now on; one that collided first gives the entry another
/// index, which no entry has. So whatever a worker missed, or a server that restarted has
/// forgotten, the next result of the entry puts right.
///
/// Of several servers of a job, an entry is named by that one alone which has the PSN of its
/// number, with the results of its own, and each draws from other indices: no two name one index
/// for two entries, and workers agree, since only one server speaks of an entry.
class IndexNaming {
 public:
  /// Of the server at `host`, one of the job's.
  IndexNaming(JobId job, const wire::AddressingConfig& config,
              const wire::JobServers& servers = HostId{0}, HostId host = 0);

  /// Writes into a result under which aggregator the workers go on. `collided`: some of it came to
  /// the server because of that.
  void name(Frame& result, bool collided);

  /// Whether what a result names belongs to its PSN, not to the aggregator that it frees.
  bool is_of_psn() const { return !table_.empty(); }

 private:
  void leave_to_others();
  void replace(std::uint32_t& index);

  BOOST_DESCRIBE_CLASS(IndexNaming, (), (), (), (table_, free_))

  wire::AddressingConfig config_;
  wire::JobServers servers_;
  HostId host_;
  wire::AggregatorHash hash_;
  wire::DistinctIndices free_;
  std::vector<std::uint32_t> table_;  // empty: another scheme
};

}  // namespace ina
