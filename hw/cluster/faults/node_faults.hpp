// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/protocol/time.hpp"

namespace ina::faults {

/// What may happen to a host, a switch, a link or a job. Each lasts for a time, except for
/// job_is_killed; the last two for good, and their time is that until it is known.
enum class NodeFault : std::uint8_t {
  worker_pauses,    ///< handles nothing; what comes meanwhile it finds afterwards
  server_pauses,    ///< the same
  server_restarts,  ///< is silent, and comes back without its state
  switch_reboots,   ///< the same; the control plane installs the jobs again
  worker_returns,   ///< dies and comes back; then its job is registered again (ATP A.4)
  worker_is_lost,   ///< dies for good; then the control plane gives its job up
  job_is_killed,
  link_fails,    ///< and carries nothing any more; then ways are found anew
  switch_fails,  ///< the same of all its links
};
/// In the order of NodeFault.
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

/// A fault, where and when. What does not belong to its kind stays at its default.
struct PlannedNodeFault {
  NodeFault fault = NodeFault::worker_pauses;
  Time at{};
  Time duration{};
  std::uint32_t job = 0;     ///< that the worker or the server belongs to
  std::uint16_t worker = 0;  ///< rank
  std::uint16_t server = 0;  ///< which of the job's, from 0
  std::uint16_t rack = 0;    ///< of the switch
  std::uint32_t link = 0;    ///< one between switches by its number; behind them those of hosts

  Time end() const { return at + duration; }

  bool operator==(const PlannedNodeFault&) const = default;
};

}  // namespace ina::faults
