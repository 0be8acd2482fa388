// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/cluster/network/host_stage.hpp"
#include "tests/support/cluster_parts.hpp"
#include "tests/support/control_mistakes.hpp"

namespace ina::campaigns {

/// Numbers of events in one or more runs.
struct Counts {
  std::uint64_t frames = 0;  ///< frames that arrived at switches
  std::uint64_t lost = 0;
  std::uint64_t lost_gradients = 0;
  std::uint64_t lost_partials = 0;
  std::uint64_t lost_results = 0;
  std::uint64_t lost_reminders = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t corrupted_decoded = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t host_stages = 0;          ///< runs in which hosts take time for each packet
  std::uint64_t lost_in_hosts = 0;        ///< frames that found a host's queue full
  std::uint64_t further_passes = 0;       ///< in runs whose programs separate passes
  std::uint64_t lost_between_passes = 0;  ///< frames
  std::uint64_t collisions = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t overflows = 0;  ///< sums that were collected again as floats
  std::uint64_t reminders = 0;
  std::uint64_t rejected_results = 0;  ///< results of an earlier registration, dropped by workers
  std::uint64_t worker_pauses = 0;
  std::uint64_t server_pauses = 0;
  std::uint64_t server_restarts = 0;
  std::uint64_t switch_reboots = 0;
  std::uint64_t workers_returned = 0;
  std::uint64_t workers_lost = 0;
  std::uint64_t jobs_killed = 0;
  std::uint64_t registrations = 0;  ///< registrations of jobs, first and repeated
  std::uint64_t jobs_finished = 0;
  std::uint64_t jobs_failed = 0;
  std::uint64_t forged = 0;             ///< frames forged by hostile hosts
  std::uint64_t refused = 0;            ///< frames that the member table refused, also late ones
  std::uint64_t swept_late_copies = 0;  ///< aggregators in use by jobs that had finished

  BOOST_DESCRIBE_CLASS(Counts, (),
                       (frames, lost, lost_gradients, lost_partials, lost_results, lost_reminders,
                        corrupted, corrupted_decoded, duplicated, reordered, host_stages,
                        lost_in_hosts, further_passes, lost_between_passes, collisions, preemptions,
                        retransmissions, overflows, reminders, rejected_results, worker_pauses,
                        server_pauses, server_restarts, switch_reboots, workers_returned,
                        workers_lost, jobs_killed, registrations, jobs_finished, jobs_failed,
                        forged, refused, swept_late_copies),
                       (), ())
};

Counts& operator+=(Counts& total, const Counts& one);

struct Outcome {
  std::string failure;  ///< empty: every property held
  Counts counts;
  Time ended{};
};

/// Makes the switch's program. Tests pass programs with a mistake.
using MakeProgram =
    std::function<std::unique_ptr<programs::SwitchProgram>(const testing::ClusterShape&)>;

/// Makes a worker's transport. Tests pass one that acts like a mistaken training loop.
using MakeWorker = std::function<std::unique_ptr<WorkerTransport>(
    const testing::ClusterShape&, const WorkerIdentity&, ValuePool&, ResultSink&)>;

/// Settings of a run that are not drawn at random.
struct Setting {
  MakeProgram make_program = testing::make_program;
  MakeWorker make_worker = testing::make_worker;
  /// If null, the control plane makes no mistake.
  testing::MakeControlMistake make_control_mistake = nullptr;
  /// If empty, it is drawn at random.
  std::optional<cluster::HostStage::Config> host_stage;
  bool hostile_host = false;  ///< one host of the cluster forges frames
  bool open_ports = false;    ///< the switch has no member table, to show that it needs one
};

/// Systems that the campaigns can check: all except the all-reduces among workers.
std::vector<testing::SystemId> campaign_systems();

/// Runs a random cluster with a random fault plan; `seed` determines both. Checks the properties
/// listed in tests/campaigns/README.md. Describes all events in `trace`, unless it is null.
Outcome run_campaign(testing::SystemId system, std::uint64_t seed, const Setting& setting,
                     std::ostream* trace);

}  // namespace ina::campaigns
