// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/systems/all.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "switch-models/policies/collision_policy.hpp"

namespace ina::exploration {

using cluster::system_called;

/// What the environment may still do to a schedule. Only these make the space of states finite.
struct Budget {
  std::uint8_t losses = 0;
  std::uint8_t firings = 0;   ///< of timers
  std::uint8_t copies = 0;    ///< packets that the network duplicates
  std::uint8_t delays = 0;    ///< packets that others may overtake
  std::uint8_t expiries = 0;  ///< the switch's clock passes the aggregators' expiry
  std::uint8_t restarts = 0;  ///< of parameter servers, with empty state
  std::uint8_t reboots = 0;   ///< of the switch, with empty registers
  std::uint8_t crashes = 0;   ///< of workers, which return

  friend bool operator==(const Budget&, const Budget&) = default;
};

/// For the tasks of each one, the explorer's world has numbers of their own.
inline constexpr std::uint32_t kMostRegistrations = 7;

/// One small cluster. Its name says all of it: a system (DSA's with the policy) and numbers, each
/// after the letter given here, as in dsa-priority-w2-j2-a1-f2-k1; numbers that have their default
/// may be left out.
struct Configuration {
  cluster::SystemId system = system_called("switchml");
  policies::CollisionPolicy policy = policies::kDsaPolicy;
  std::uint8_t workers = 2;      ///< w, of each job
  std::uint8_t leaves = 0;       ///< l, not ps: racks under the root, each with workers
  std::uint8_t upper = 0;        ///< u, workers of each job at the root, if there are racks
  std::uint8_t below = 0;        ///< g; 1: the servers are under the first leaf, beside its workers
  std::uint8_t levels = 2;       ///< v, ATP; 1: the root lets the racks' sums pass
  std::uint8_t jobs = 1;         ///< j
  std::uint8_t servers = 1;      ///< y, of each job; not switchml
  std::uint8_t aggregators = 1;  ///< a; SwitchML: slots of each job
  std::uint8_t table = 0;        ///< m, entries of ATP's or DSA's tables; 0: addressing by hash
  std::uint8_t fragments = 1;    ///< f, of a tensor
  std::uint8_t tensors = 1;      ///< n, of an iteration
  std::uint8_t iterations = 1;   ///< i
  std::uint8_t window = 0;  ///< p, packets; 0: a whole job; SwitchML: has ATP's, at first so large
  std::uint8_t kept = 0;    ///< h, results that the server holds; 0: all
  std::uint8_t overflows = 0;   ///< o, ATP: the sums of a job's first fragments that overflow
  std::uint8_t blocks = 0;      ///< x, SwitchML; 1: values in block floating point
  std::uint8_t stragglers = 0;  ///< s; 1: a worker may submit an iteration as late as it likes
  /// k losses, t firings, d copies, r delays, e expiries, q restarts, b reboots, c crashes
  Budget budget;

  std::uint32_t exponent_lead() const {
    return blocks == 0 ? 0 : exponent_lead_of(fragments, aggregators);
  }
  std::uint32_t psns_per_tensor() const { return fragments + exponent_lead(); }
  std::uint32_t psns_per_iteration() const { return psns_per_tensor() * tensors; }
  std::uint32_t psns() const { return psns_per_iteration() * iterations; }
  /// Whether a reboot of a switch makes the control plane register the jobs again.
  bool loses_jobs_with_switch() const;
  /// Of one job, at most.
  std::uint32_t registrations_of_job() const;
  /// Of all of them: no more than kMostRegistrations.
  std::uint32_t registrations() const { return jobs * registrations_of_job(); }
  /// Of each rank: a leaf, the first ones with a worker more if they do not go in evenly; or
  /// `leaves`, the servers' own rack.
  std::vector<std::uint16_t> racks() const;
  std::uint16_t rack_of_servers() const { return below != 0 ? std::uint16_t{0} : leaves; }
};

/// Throws std::invalid_argument, which says what is wrong and what is allowed.
Configuration parse_configuration(std::string_view name);

inline constexpr int kTwoOfHash = 4;

/// Runs with every test, in a minute or two.
std::vector<std::string> bounded_configurations();
/// What --full adds to them: deeper ones, and two losses and an early timer in every system with
/// every combination of 2 or 3 workers, 1 or 2 jobs, 1 or 2 aggregators and 2 or 3 fragments. ATP's
/// and DSA's tasks take two aggregators of kTwoOfHash: their first four PSNs hash to one of two.
std::vector<std::string> further_configurations();

}  // namespace ina::exploration
