// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/describe.hpp>
#include <optional>

#include "hw/protocol/transport/fragment_tracker.hpp"
#include "hw/protocol/transport/results_out_of_order.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina {

/// Detects losses from the order of results, separately for each server of a job: results of a fast
/// server may overtake results of a slower one without any loss.
class ResultOrder {
 public:
  explicit ResultOrder(std::size_t servers) : of_server_(servers) {}

  /// Whether an arriving result belongs to the oldest packet in flight to its server.
  bool is_expected(Psn psn, const wire::JobServers& servers, const FragmentTracker& tracker) {
    return oldest_beside(psn, servers, tracker) == psn;
  }

  /// Call this for the first result of each fragment. Returns whether the oldest packet to the
  /// server of `psn` was lost. `expected`: see is_expected().
  bool tells_of_a_loss(Psn psn, const wire::JobServers& servers, bool expected) {
    return of_server_[servers.index_of(psn)].out_of_order.tell_of_a_loss(expected);
  }
  /// Returns the oldest packet to the server of `psn`, if any, and skips it until it is sent again.
  std::optional<Psn> take_oldest(Psn psn, const wire::JobServers& servers,
                                 FragmentTracker& tracker) {
    if (servers.count() == 1) return tracker.take_oldest();
    const auto oldest = oldest_beside(psn, servers, tracker);
    if (oldest) tracker.forget_transmission(*oldest);
    return oldest;
  }

 private:
  struct OfServer {
    ResultsOutOfOrder out_of_order;
    Psn from =
        0;  // no packet of this server before this PSN is in turn, so a search can begin here
  };

  std::optional<Psn> oldest_beside(Psn psn, const wire::JobServers& servers,
                                   const FragmentTracker& tracker) {
    if (servers.count() == 1) return tracker.oldest_in_flight();
    const std::size_t server = servers.index_of(psn);
    return tracker.oldest_in_flight([&](Psn from) { return servers.next_of(server, from); },
                                    of_server_[server].from);
  }

  BOOST_DESCRIBE_CLASS(ResultOrder, (), (), (), (of_server_))

  boost::container::small_vector<OfServer, 1> of_server_;
};

}  // namespace ina
