// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"

namespace ina::processes {

/// The control plane of a cluster of processes, for who starts and signals them. What it decides
/// are actions, each a line of JSON, to be carried out in their order:
///   {"do": "pause", "job": 0, "worker": 1}    the worker's process, or with "server", an index,
///                                             that of one of the job's servers: SIGSTOP
///   {"do": "resume", "job": 0, "worker": 1}   SIGCONT
///   {"do": "stop", "job": 0, "worker": 1}     it ends
///   {"do": "start_workers", "job": 0, "id": 2, "first_iteration": 3}
///                                             in the place of those that there are: another one
///                                             for each rank
///   {"do": "start_server", "job": 0, "server": 1, "id": 2}
///   {"do": "order", "switch": 0, "order": "register 0 2 4"}
///                                             to the switch, by its number, in words of its own
///                                             (switch-models/software/orders.hpp)
///   {"do": "count", "job": 0, "registrations": 2}
///   {"do": "fail", "job": 0, "status": "killed", "end_ps": 5000}
///   {"do": "wait", "until_ps": 9000}          nothing is to be done until then; null: ever
/// The jobs begin as the cluster file says: that is no action.
class ProcessControl final : private cluster::ControlWorld {
 public:
  struct Job {
    cluster::JobHosts hosts;
    std::uint32_t iterations = 1;
  };

  /// `out` must outlive it.
  ProcessControl(const cluster::ControlPlane::Config& config, const std::vector<Job>& jobs,
                 const std::vector<faults::PlannedNodeFault>& faults, std::ostream& out);

  /// What happened until an instant of the run, in a line of JSON:
  ///   {"now_ps": 9000, "iterations_ended": [[JOB, RANK, COUNT], ...]}
  /// COUNT: how many the worker ended under the job's present id, beyond those said before. Decides
  /// what is due. Throws InputError.
  void take(std::string_view event);
  void wait();

 private:
  void install_job(std::size_t at, const cluster::Registration& registration) override;
  void remove_job(std::size_t at, const cluster::Registration& registration) override;
  void take_switch_down(std::size_t at) override;
  void bring_switch_back(std::size_t at) override;
  void start_workers(const cluster::Registration& registration, Time now) override;
  void start_server(const cluster::Registration& registration, std::uint16_t index,
                    Time now) override;
  void stop(const cluster::JobHost& host, Time now) override;
  void pause(const cluster::JobHost& host, Time until, Time now) override;
  void resume(const cluster::JobHost& host, Time now) override;
  void expect(const cluster::JobHost&, Time) override {}
  void job_event(cluster::JobEvent event, const cluster::JobHost& host) override;

  void iterations_ended(const nlohmann::json& event, Time now);
  void say(const nlohmann::ordered_json& action);
  void say_of(const char* what, const cluster::JobHost& host);
  void order(std::size_t at, const std::string& words);

  std::ostream& out_;
  bool begun_ = false;
  std::vector<std::uint32_t> iterations_;  // that each job has
  cluster::ControlPlane control_;
};

}  // namespace ina::processes
