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

/// Maximum number of each event in a schedule. These limits make the state space finite.
struct Budget {
  std::uint8_t losses = 0;
  std::uint8_t firings = 0;   ///< timers that fire early
  std::uint8_t copies = 0;    ///< packets that the network duplicates
  std::uint8_t delays = 0;    ///< packets that others may overtake
  std::uint8_t expiries = 0;  ///< the switch's clock passes the aggregators' expiry
  std::uint8_t restarts = 0;  ///< parameter servers that lose their state
  std::uint8_t reboots = 0;   ///< switches that lose their registers
  std::uint8_t crashes = 0;   ///< workers that crash and return
  /// Frames that arrive at a switch between two passes of another one.
  std::uint8_t interruptions = 0;

  friend bool operator==(const Budget&, const Budget&) = default;
};

/// Maximum number of registrations whose tasks the explorer's world can number.
inline constexpr std::uint32_t kMostRegistrations = 7;

/// One small cluster. Its name is a system (for DSA with the policy), followed by numbers, each
/// after the letter given here, for example dsa-priority-w2-j2-a1-f2-k1. Omitted numbers have their
/// default.
struct Configuration {
  cluster::SystemId system = system_called("switchml");
  policies::CollisionPolicy policy = policies::kDsaPolicy;
  std::uint8_t workers = 2;      ///< w, per job
  std::uint8_t leaves = 0;       ///< l, racks under the root, each with workers; not ps
  std::uint8_t upper = 0;        ///< u, workers per job at the root, if there are racks
  std::uint8_t below = 0;        ///< g; 1: the servers are under the first leaf, with workers
  std::uint8_t levels = 2;       ///< v, ATP; 1: the root forwards the racks' sums
  std::uint8_t jobs = 1;         ///< j
  std::uint8_t servers = 1;      ///< y, per job; not switchml
  std::uint8_t aggregators = 1;  ///< a; SwitchML: slots per job
  std::uint8_t table = 0;        ///< m, entries of ATP's or DSA's tables; 0: addressing by hash
  std::uint8_t fragments = 1;    ///< f, per tensor
  std::uint8_t tensors = 1;      ///< n, per iteration
  std::uint8_t iterations = 1;   ///< i
  std::uint8_t window = 0;       ///< p, packets; 0: a whole job; SwitchML: ATP's initial window
  std::uint8_t kept = 0;         ///< h, results that the server holds; 0: all
  std::uint8_t overflows = 0;    ///< o, ATP: a job's first fragments, whose sums overflow
  std::uint8_t blocks = 0;       ///< x, SwitchML; 1: values in block floating point
  std::uint8_t stragglers = 0;   ///< s; 1: a worker may submit an iteration arbitrarily late
  /// k losses, t firings, d copies, r delays, e expiries, q restarts, b reboots, c crashes,
  /// z interruptions
  Budget budget;

  std::uint32_t exponent_lead() const {
    return blocks == 0 ? 0 : exponent_lead_of(fragments, aggregators);
  }
  std::uint32_t psns_per_tensor() const { return fragments + exponent_lead(); }
  std::uint32_t psns_per_iteration() const { return psns_per_tensor() * tensors; }
  std::uint32_t psns() const { return psns_per_iteration() * iterations; }
  /// Whether each pass of a packet is a step of its own.
  bool separates_passes() const { return budget.interruptions > 0; }
  /// Number of values of a packet: one for each share that a pass reads or writes on its own. With
  /// separate passes, the shares of ATP and DSA are halves. SwitchML has 128 values in two parts,
  /// and two passes harvest the halves of each part.
  std::size_t width() const;
  /// Whether a reboot of a switch makes the control plane register the jobs again.
  bool loses_jobs_with_switch() const;
  /// Maximum number of registrations of one job.
  std::uint32_t registrations_of_job() const;
  /// Maximum number of registrations of all jobs, at most kMostRegistrations.
  std::uint32_t registrations() const { return jobs * registrations_of_job(); }
  /// The rack of each rank. Workers are spread over the leaves as evenly as possible; the first
  /// leaves may get one more. Rack number `leaves` is the root's.
  std::vector<std::uint16_t> racks() const;
  std::uint16_t rack_of_servers() const { return below != 0 ? std::uint16_t{0} : leaves; }
};

/// Throws std::invalid_argument with a message that says what is wrong and what is allowed.
Configuration parse_configuration(std::string_view name);

inline constexpr int kTwoOfHash = 4;

/// Configurations of the bounded set, which every test run explores in a minute or two.
std::vector<std::string> bounded_configurations();
/// Configurations that --full adds. Some are deeper. The others are a grid with two losses and one
/// early timer: every system, 2 or 3 workers, 1 or 2 jobs, 1 or 2 aggregators, 2 or 3 fragments.
/// For ATP and DSA, two aggregators are kTwoOfHash: with fewer, the first four PSNs hash to the
/// same one.
std::vector<std::string> further_configurations();

}  // namespace ina::exploration
