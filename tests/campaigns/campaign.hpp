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

/// What runs met with.
struct Counts {
  std::uint64_t frames = 0;  ///< that came to the switch
  std::uint64_t lost = 0;
  std::uint64_t lost_gradients = 0;
  std::uint64_t lost_partials = 0;
  std::uint64_t lost_results = 0;
  std::uint64_t lost_reminders = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t corrupted_decoded = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t host_stages = 0;    ///< runs in which hosts take time for packets
  std::uint64_t lost_in_hosts = 0;  ///< frames that found a host's queue full
  std::uint64_t collisions = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t overflows = 0;  ///< sums that were collected again as floats
  std::uint64_t reminders = 0;
  std::uint64_t rejected_results = 0;  ///< of an earlier registration, dropped by workers
  std::uint64_t worker_pauses = 0;
  std::uint64_t server_pauses = 0;
  std::uint64_t server_restarts = 0;
  std::uint64_t switch_reboots = 0;
  std::uint64_t workers_returned = 0;
  std::uint64_t workers_lost = 0;
  std::uint64_t jobs_killed = 0;
  std::uint64_t registrations = 0;  ///< of jobs, first ones and further ones
  std::uint64_t jobs_finished = 0;
  std::uint64_t jobs_failed = 0;
  std::uint64_t forged = 0;   ///< frames of hostile hosts, beside what they honestly sent
  std::uint64_t refused = 0;  ///< by the switch's table of members: also what is late of old jobs
  std::uint64_t swept_late_copies = 0;  ///< aggregators that were in use by jobs that had finished

  BOOST_DESCRIBE_CLASS(Counts, (),
                       (frames, lost, lost_gradients, lost_partials, lost_results, lost_reminders,
                        corrupted, corrupted_decoded, duplicated, reordered, host_stages,
                        lost_in_hosts, collisions, preemptions, retransmissions, overflows,
                        reminders, rejected_results, worker_pauses, server_pauses, server_restarts,
                        switch_reboots, workers_returned, workers_lost, jobs_killed, registrations,
                        jobs_finished, jobs_failed, forged, refused, swept_late_copies),
                       (), ())
};

Counts& operator+=(Counts& total, const Counts& one);

struct Outcome {
  std::string failure;  ///< empty: everything held
  Counts counts;
  Time ended{};
};

/// Makes the switch's program; a test makes one with a mistake.
using MakeProgram =
    std::function<std::unique_ptr<programs::SwitchProgram>(const testing::ClusterShape&)>;

/// Makes a worker's transport; a test makes one that does to it what a mistaken training loop does.
using MakeWorker = std::function<std::unique_ptr<WorkerTransport>(
    const testing::ClusterShape&, const WorkerIdentity&, ValuePool&, ResultSink&)>;

/// What is not drawn.
struct Setting {
  MakeProgram make_program = testing::make_program;
  MakeWorker make_worker = testing::make_worker;
  /// None: the control plane as it is.
  testing::MakeControlMistake make_control_mistake = nullptr;
  /// None: drawn.
  std::optional<cluster::HostStage::Config> host_stage;
  bool hostile_host = false;  ///< one host of the cluster forges frames
  bool open_ports = false;    ///< the switch has no table of members: shows that it needs one
};

/// Those of which campaigns know what has to hold: not yet those whose workers send each other.
std::vector<testing::SystemId> campaign_systems();

/// One run: a random cluster under a random plan of faults, both drawn from `seed`. What must hold
/// is in tests/campaigns/README.md. `trace`, if there is one, gets all that happens, in words.
Outcome run_campaign(testing::SystemId system, std::uint64_t seed, const Setting& setting,
                     std::ostream* trace);

}  // namespace ina::campaigns
