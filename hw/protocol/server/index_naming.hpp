// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/distinct_indices.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina {

/// Aggregators that a server's results name (ATP 3.6). With `hash` and rehash, a result that
/// collided carries the index that permanently replaces its own. With `table`, every result names
/// the index of its fragment's entry; a result that collided first gives the entry another index,
/// which no entry has. The next result of the entry therefore corrects everything that a worker
/// missed, or that a restarted server has forgotten.
///
/// If a job has several servers, only one names an entry: the server of the PSN equal to the
/// entry's number. Each server draws from its own indices, so no index is named for two entries.
/// Workers agree, since only one server names an entry.
class IndexNaming {
 public:
  /// `host`: the one of the job's servers that this object belongs to.
  IndexNaming(JobId job, const wire::AddressingConfig& config,
              const wire::JobServers& servers = HostId{0}, HostId host = 0);

  /// Writes the aggregator of the workers' next fragments into a result. `collided`: part of the
  /// sum came to the server because of a collision.
  void name(Frame& result, bool collided);

  /// Whether the named index belongs to the result's PSN, not to the aggregator that it frees.
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
  std::vector<std::uint32_t> table_;  // empty with other schemes
};

}  // namespace ina
