// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"

namespace ina {

/// A plain parameter server: sums its workers' gradients and sends the result to each of them. It
/// uses no function of the switches, not even multicast. After a time-out it asks for the missing
/// parts of an entry, because the packet that opened the entry may be a late copy. It keeps its
/// latest results for workers that lost them.
class PsServer final : public ParameterServer {
 public:
  struct Config {
    std::uint32_t kept_results = 8192;
    Time request_timeout = std::chrono::milliseconds(1);

    bool operator==(const Config&) const = default;
  };

  /// The identity must contain the members. `values_per_packet` must be the same as at the workers.
  PsServer(const ServerIdentity& identity, const Config& config, std::uint32_t values_per_packet)
      : ParameterServer(identity, frame_bytes(wire::Format::ps, values_per_packet)),
        request_timeout_(config.request_timeout),
        kept_(config.kept_results) {}

 private:
  void receive_late(Frame&& frame, Time now) override {
    if (!frame.has(flag::resend) || frame.has(flag::answer)) {
      ++statistics_.duplicates;
      return;
    }
    if (const Frame* result = kept_.find(frame.psn)) {
      Frame again = *result;
      again.destination = frame.source;
      if (frame.has(flag::ecn)) again.set(flag::ecn);
      return send(std::move(again));
    }
    completed_.erase(frame.psn);
    collect(std::move(frame), now);
  }

  /// Sends the result to all members except the last one, to which complete() sends it.
  void entry_completed(Entry& entry, Frame& result, Time) override {
    result.clear(flag::ecn);
    kept_.keep(result);
    const std::size_t last = identity_.members.size() - 1;
    for (std::size_t rank = 0; rank < last; ++rank) {
      Frame copy = result;
      address(copy, rank, entry);
      send(std::move(copy));
    }
    address(result, last, entry);
  }

  /// Addresses the result to a worker. The result gets an ECN mark only if that worker's own packet
  /// had one. Otherwise a worker would reduce its window because of queues that only others met.
  void address(Frame& result, std::size_t rank, const Entry& entry) const {
    result.destination = identity_.members[rank];
    if (entry.marked.contains(identity_.paths[rank])) result.set(flag::ecn);
  }

  Time entry_timeout(std::size_t doublings) const override {
    return Backoff::doubled(request_timeout_, doublings);
  }
  void timed_out(Psn psn, Entry& entry, Time now) override {
    request_from_each(psn, entry, entry.workers);
    wait(psn, entry, now);
  }

  BOOST_DESCRIBE_CLASS(PsServer, (ParameterServer), (), (), (kept_))

  Time request_timeout_;
  KeptResults kept_;
};

}  // namespace ina
