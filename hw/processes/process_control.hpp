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

/// The control plane of a cluster of processes. Its caller starts and signals the processes. Its
/// decisions are actions, one line of JSON each, which the caller carries out in order:
///   {"do": "pause", "job": 0, "worker": 1}    send SIGSTOP to the worker's process; with "server"
///                                             instead of "worker", to a server's process
///   {"do": "resume", "job": 0, "worker": 1}   send SIGCONT to the process
///   {"do": "stop", "job": 0, "worker": 1}     end the process
///   {"do": "start_workers", "job": 0, "id": 2, "first_iteration": 3}
///                                             replace the job's workers: start a new process for
///                                             each rank
///   {"do": "start_server", "job": 0, "server": 1, "id": 2}
///   {"do": "order", "switch": 0, "order": "register 0 2 4"}
///                                             send the order to the switch with this number
///                                             (switch-models/software/orders.hpp)
///   {"do": "count", "job": 0, "registrations": 2}
///   {"do": "fail", "job": 0, "status": "killed", "end_ps": 5000}
///   {"do": "wait", "until_ps": 9000}          no action is due before this time; null: none ever
/// Jobs begin at the times of the cluster file, without an action.
class ProcessControl final : private cluster::ControlWorld {
 public:
  struct Job {
    cluster::JobHosts hosts;
    std::uint32_t iterations = 1;
  };

  /// `out` must outlive this.
  ProcessControl(const cluster::ControlPlane::Config& config, const std::vector<Job>& jobs,
                 const std::vector<faults::PlannedNodeFault>& faults, std::ostream& out);

  /// Processes an event, a line of JSON with what happened until an instant of the run:
  ///   {"now_ps": 9000, "iterations_ended": [[JOB, RANK, COUNT], ...]}
  /// COUNT is the number of iterations that the worker has ended since the last event, under the
  /// job's current id. Writes all actions that are due. Throws InputError.
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
  std::vector<std::uint32_t> iterations_;  // number of iterations of each job
  cluster::ControlPlane control_;
};

}  // namespace ina::processes
