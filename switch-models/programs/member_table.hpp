// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

/// Who may send what, by the port at which a frame comes in: a table in front of the program, so
/// that tenants who share a switch cannot speak for one another. A worker sends gradients,
/// notifications and releases of its own job, in its own name, with its own bit and the job's
/// fan-in (SwitchML's header has neither); a parameter server sends results, reminders and requests
/// of its own job. Partial aggregates come out of switches only.
class MemberTable {
 public:
  /// The job's hosts by rank, and its parameter server (kNobody: SwitchML).
  void install(JobId job, std::vector<HostId> workers, HostId server);
  void remove(JobId job);

  /// `ingress`: the host at the port.
  bool admits(const Frame& frame, HostId ingress) const {
    if (frame.source != ingress || frame.job >= jobs_.size()) return false;
    const Members& job = jobs_[frame.job];
    return frame.kind == FrameKind::gradient ? admits_gradient(frame, job)
                                             : admits_control(frame, job);
  }

  static constexpr HostId kNobody = kEveryWorker;

 private:
  struct Members {
    std::vector<HostId> workers;  ///< none: the job is unknown
    HostId server = kNobody;
  };

  static bool is_of_worker(const Frame& frame, const Members& job) {
    return frame.worker < job.workers.size() && job.workers[frame.worker] == frame.source &&
           (job.server == kNobody || frame.bitmap0 == 1U << frame.worker);
  }
  static bool admits_gradient(const Frame& frame, const Members& job) {
    if (!is_of_worker(frame, job)) return false;
    if (job.server == kNobody) return frame.destination == frame.source;
    return frame.destination == job.server && frame.fan_in_degree0 == job.workers.size() &&
           frame.bitmap1 == 0 && !frame.has(flag::partial);
  }
  static bool admits_control(const Frame& frame, const Members& job);

  std::vector<Members> jobs_;
};

}  // namespace ina::programs
