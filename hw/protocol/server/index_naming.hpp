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
/// entry. If the task collided, the entry first gets another index, which no other entry has. A
/// worker that missed a change learns the index from the entry's next result, and so do all workers
/// if a restarted server forgot a change.
///
/// If a job has several servers, only one of them names the index of table entry number e: the
/// server of PSN e. All workers thus get the same index. Each server chooses from its own set of
/// indices, so that no index is assigned to two entries.
class IndexNaming {
 public:
  /// `host`: the server to which this object belongs.
  IndexNaming(JobId job, const wire::AddressingConfig& config,
              const wire::JobServers& servers = HostId{0}, HostId host = 0);

  /// Writes the aggregator index of later fragments into a result, if it has to name one.
  /// `collided`: whether a part of the sum came to the server because of a collision.
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
