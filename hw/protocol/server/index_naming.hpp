// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/distinct_indices.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina {

/// Chooses the aggregator indices that a server's results assign to later fragments (ATP 3.6). With
/// `hash` and rehash, the result of a task that collided carries a new index, which permanently
/// replaces the task's index. With `table`, every result names the index of its fragment's table
/// entry; if the task collided, the entry first gets another index that no other entry has. If a
/// worker missed a change, or a restarted server has forgotten it, the entry's next result corrects
/// that.
///
/// If a job has several servers, exactly one of them assigns the index of a table entry: the server
/// of the PSN equal to the entry's number. All workers thus agree. Each server chooses from its own
/// set of indices, so no index is assigned to two entries.
class IndexNaming {
 public:
  /// `host`: the server to which this object belongs.
  IndexNaming(JobId job, const wire::AddressingConfig& config,
              const wire::JobServers& servers = HostId{0}, HostId host = 0);

  /// Writes the aggregator index of later fragments into a result. `collided`: whether a part of
  /// the sum came to the server because of a collision.
  void name(Frame& result, bool collided);

  /// Whether the new index is for the result's PSN. If not, it replaces the index in the result.
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
  std::vector<std::uint32_t> table_;  // for scheme `table`; otherwise empty
};

}  // namespace ina
