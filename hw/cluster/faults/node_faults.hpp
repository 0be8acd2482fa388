// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/fields/bounds.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/job_servers.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::faults {

/// Faults of a host, a switch, a link or a job. All except job_is_killed have a duration. The last
/// two faults are permanent; their duration is the time until the control plane detects them.
enum class NodeFault : std::uint8_t {
  worker_pauses,    ///< handles nothing, and later handles the frames that arrived meanwhile
  server_pauses,    ///< the same for a server
  server_restarts,  ///< the server handles nothing, then returns with empty state
  switch_reboots,   ///< the same for a switch; the control plane then installs the jobs again
  worker_returns,   ///< dies and returns; its job is then registered again (ATP A.4)
  worker_is_lost,   ///< dies permanently; after the duration its job fails
  job_is_killed,
  link_fails,    ///< carries no more frames; after the duration, paths are computed again
  switch_fails,  ///< all links of the switch fail, as in link_fails
};
/// Names in the order of NodeFault.
inline constexpr std::array<const char*, 9> kNodeFaultNames = {
    "worker_pauses",  "server_pauses", "server_restarts", "switch_reboots", "worker_returns",
    "worker_is_lost", "job_is_killed", "link_fails",      "switch_fails"};

constexpr const char* name_of(NodeFault fault) {
  return kNodeFaultNames[static_cast<std::size_t>(fault)];
}

constexpr bool lasts(NodeFault fault) { return fault != NodeFault::job_is_killed; }
constexpr bool is_for_good(NodeFault fault) {
  return fault == NodeFault::link_fails || fault == NodeFault::switch_fails;
}
constexpr bool strikes_job(NodeFault fault) {
  return fault != NodeFault::switch_reboots && !is_for_good(fault);
}
constexpr bool strikes_server(NodeFault fault) {
  return fault == NodeFault::server_pauses || fault == NodeFault::server_restarts;
}
constexpr bool strikes_worker(NodeFault fault) {
  return fault == NodeFault::worker_pauses || fault == NodeFault::worker_returns ||
         fault == NodeFault::worker_is_lost;
}

/// Range of a fault's duration in picoseconds. The limit is an hour, because hosts retransmit after
/// every time-out during the fault.
inline constexpr fields::Bounds<std::int64_t> kFaultDuration{0, 3600'000'000'000'000};

/// Upper limits of the numbers in a fault. SpecNodeFaultLimits has the exact ones of a cluster.
struct NodeFaultLimits {
  std::uint32_t jobs = wire::kMaxJobs;

  std::uint16_t workers(std::uint32_t /* job */) const { return wire::kMaxWorkers; }
  std::uint16_t servers(std::uint32_t /* job */) const { return wire::kMaxServers; }
};

/// A fault, its time, and the member of a job that it strikes. Fields that a kind of fault does not
/// use keep their defaults.
struct TimedNodeFault {
  NodeFault fault = NodeFault::worker_pauses;
  Time at{};
  Time duration{};
  std::uint32_t job = 0;     ///< job of the worker or server
  std::uint16_t worker = 0;  ///< rank
  std::uint16_t server = 0;  ///< index in the job, from 0

  Time end() const { return at + duration; }

  bool operator==(const TimedNodeFault&) const = default;

  /// Visits the keys in a scenario or cluster file. The kind of fault determines which keys exist.
  /// `visit_network(visitor)` visits the keys of the switch or link that the fault strikes.
  template <class Visitor, class Self, class Limits, class VisitNetwork>
  static void visit(Visitor& visitor, Self& self, const Limits& limits,
                    VisitNetwork visit_network) {
    const auto visit_others = [&](auto& inner) {
      inner.require("at");
      inner.time("at", self.at, fields::kAnyTime, "Time of the fault");
      if (lasts(self.fault)) {
        inner.require("duration");
        inner.time(
            "duration", self.duration, kFaultDuration,
            "Time until the node continues or is back. With worker_is_lost: time until the job is "
            "given up. With link_fails and switch_fails: time until new paths are found");
      }
      visit_network(inner);
      if (strikes_job(self.fault)) visit_job(inner, self, limits);
    };
    visitor.kind("fault", self.fault, fields::names_in_order<NodeFault>(kNodeFaultNames),
                 visit_others, "Kind of the fault");
  }

 private:
  template <class Visitor, class Self, class Limits>
  static void visit_job(Visitor& visitor, Self& self, const Limits& limits) {
    visitor.require("job");
    visitor.integer("job", self.job, fields::Bounds<std::uint32_t>{0, limits.jobs - 1},
                    "Number of the job that is killed, or whose worker or parameter server is "
                    "affected, from 0");
    if (strikes_worker(self.fault)) {
      const auto last = static_cast<std::uint16_t>(limits.workers(self.job) - 1);
      visitor.require("worker");
      visitor.integer("worker", self.worker, fields::Bounds<std::uint16_t>{0, last},
                      "Rank of the worker in the job, from 0");
    }
    if (strikes_server(self.fault)) {
      const auto last = static_cast<std::uint16_t>(limits.servers(self.job) - 1);
      visitor.integer("server", self.server, fields::Bounds<std::uint16_t>{0, last},
                      "Index of the parameter server in the job, from 0");
    }
  }
};

/// A fault for ControlPlane::plan(), with the number of the switch or link that it strikes.
struct PlannedNodeFault : TimedNodeFault {
  std::uint16_t rack = 0;  ///< number of the switch
  std::uint32_t link = 0;  ///< a TrunkIndex, or the number of trunks plus a HostId

  bool operator==(const PlannedNodeFault&) const = default;
};

}  // namespace ina::faults
