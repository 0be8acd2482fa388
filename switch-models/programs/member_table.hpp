// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina::programs {

/// A table in front of the program that decides whether a frame is admitted at the port at which it
/// arrives. Tenants who share a switch therefore cannot impersonate one another.
/// - A worker may send gradients, notifications and releases of its own job, under its own name,
///   with its own bit and aggregation path (which SwitchML's header does not contain).
/// - A parameter server may send results, reminders and requests of its own job. If a job has
///   several servers, each may send and receive only its own share of the fragments.
/// - Only switches may send sums of several workers. Frames that another switch has admitted are
///   trusted, unless their source cannot be reached through that switch.
/// - In SwitchML, the members of one switch count: its own workers and, at a root, the leaves.
/// - Workers that send to each other may send sums and acknowledgements to members of their job.
class MemberTable {
 public:
  /// `workers`: the job's hosts by rank; `paths`: their aggregation paths. In SwitchML, which has
  /// no servers, `workers` are the senders whose updates this switch adds, indexed by the updates'
  /// worker field; any worker under a leaf can represent that leaf.
  void install(JobId job, std::vector<HostId> workers, const wire::JobServers& servers,
               std::vector<wire::AggregationPath> paths);
  /// Installs a job whose workers exchange data directly, without a server.
  void install_among_workers(JobId job, std::vector<HostId> workers);
  void remove(JobId job);

  /// Whether a frame from a host is admitted. `ingress`: the host attached to the frame's port.
  bool admits(const Frame& frame, HostId ingress) const {
    if (frame.source != ingress || frame.job >= jobs_.size()) return false;
    const Members& job = jobs_[frame.job];
    if (job.among_themselves) return admits_among_workers(frame, job);
    return frame.kind == FrameKind::gradient ? admits_gradient(frame, job)
                                             : admits_control(frame, job);
  }

  /// Whether a frame from another switch is admitted, given that its source is reached through it.
  bool admits_from_switch(const Frame& frame) const {
    if (frame.job >= jobs_.size()) return false;
    const Members& job = jobs_[frame.job];
    if (job.among_themselves) return admits_among_workers(frame, job);
    if (frame.kind == FrameKind::gradient) return admits_sum(frame, job);
    return admits_control(frame, job) || answers_reminder(frame, job);
  }
  /// Whether a frame from the switch above is admitted as the result that DSA's root sends to all
  /// workers. The root makes it from the packet of any worker, so any worker may be its source.
  bool admits_answer(const Frame& frame) const {
    if (frame.job >= jobs_.size() || frame.kind != FrameKind::result) return false;
    return is_worker(frame, jobs_[frame.job]) && frame.destination == kAllWorkers;
  }

  static constexpr HostId kNoHost = kAllWorkers;

  /// A host from whose direction the frame must come. Usually this is its source. For a partial sum
  /// it is a worker of the branch that the sum names: a partial sum leaves in the packet that
  /// evicted it, which may be of any job, so the source of that packet means nothing.
  HostId origin_of(const Frame& frame) const {
    const bool is_driven_out = frame.kind == FrameKind::gradient && frame.has(flag::partial) &&
                               !frame.has(flag::second_level);
    if (!is_driven_out || frame.job >= jobs_.size()) return frame.source;
    const auto* const fields = std::get_if<AggregatorFields>(&frame.fields);
    if (fields == nullptr) return frame.source;
    const auto branch = static_cast<std::size_t>(std::countr_zero(fields->bitmap1));
    const std::vector<HostId>& first = jobs_[frame.job].first_of_branch;
    return branch < first.size() ? first[branch] : kNoHost;
  }
  /// Whether the frame goes to, or comes from, the server of its fragment.
  bool is_for_server(const Frame& frame) const {
    return frame.destination != kNoHost && server_of(frame) == frame.destination;
  }
  bool is_of_server(const Frame& frame) const {
    return frame.source != kNoHost && server_of(frame) == frame.source;
  }

  /// Whether the job's sums meet at a switch and not at a server.
  bool is_without_server(JobId job) const {
    return job < jobs_.size() && !jobs_[job].workers.empty() && jobs_[job].servers.empty() &&
           !jobs_[job].among_themselves;
  }
  /// Whether later gradients with the same AdmissionKey need no check. False if the check depends
  /// on the PSN. Also false among workers, since nearly every frame of theirs has a different key.
  bool goes_by_key(const Frame& admitted) const {
    const Members& job = jobs_[admitted.job];
    return admitted.kind == FrameKind::gradient && job.servers.count() <= 1 &&
           !job.among_themselves;
  }
  /// In a job without a server: the member whose contribution the update is; kNoHost if none.
  HostId member_of(const Frame& update) const {
    const std::vector<HostId>& members = jobs_[update.job].workers;
    return update.worker < members.size() ? members[update.worker] : kNoHost;
  }

 private:
  struct Members {
    std::vector<HostId> workers = {};               ///< empty: the job is unknown
    std::vector<wire::AggregationPath> paths = {};  ///< paths of the workers
    wire::JobServers servers = {};
    std::vector<HostId> first_of_branch = {};  ///< one worker of each branch
    bool among_themselves = false;             ///< workers send only to each other
    std::vector<bool> has_worker = {};         ///< by HostId
  };

  void install(JobId job, Members members);

  /// The server of the frame's fragment; kNoHost if the job has no server or is unknown.
  HostId server_of(const Frame& frame) const {
    return frame.job < jobs_.size() ? jobs_[frame.job].servers.of(frame.psn) : kNoHost;
  }
  static bool is_worker(const Frame& frame, const Members& job) {
    return frame.worker < job.workers.size() && job.workers[frame.worker] == frame.source;
  }
  static bool is_of_worker(const Frame& frame, const Members& job) {
    if (!is_worker(frame, job)) return false;
    if (job.servers.empty()) return true;
    const wire::AggregationPath& path = job.paths[frame.worker];
    const auto* const fields = std::get_if<AggregatorFields>(&frame.fields);
    return fields != nullptr && fields->bitmap0 == path.bitmap0 && fields->bitmap1 == path.bitmap1;
  }
  static bool admits_gradient(const Frame& frame, const Members& job) {
    if (!is_of_worker(frame, job)) return false;
    if (job.servers.empty()) return frame.destination == frame.source;
    constexpr std::uint8_t kOfSwitches = flag::partial | flag::second_level;
    return frame.destination == job.servers.of(frame.psn) &&
           follows(frame, job.paths[frame.worker]) &&
           (frame.flags & kOfSwitches) == job.paths[frame.worker].flags;
  }
  /// Checks a frame that another switch has admitted. It need not be a sum. It may be a worker's
  /// own packet: floats, a packet that got no aggregator (DSA), or any packet if no switch adds.
  static bool admits_sum(const Frame& frame, const Members& job) {
    if (job.servers.empty() || frame.destination != job.servers.of(frame.psn)) return false;
    if (!std::holds_alternative<AggregatorFields>(frame.fields)) return false;
    if (frame.has(flag::partial) && !frame.has(flag::second_level)) return true;
    constexpr std::uint8_t kHandedOn =
        flag::second_level | flag::floats | flag::resend | flag::answer | flag::collision;
    return is_worker(frame, job) && has_bit(frame, job.paths[frame.worker]) &&
           follows(frame, job.paths[frame.worker]) &&
           (frame.has(kHandedOn) || frame.aggregator().fan_in_degree0 == 0);
  }
  static bool follows(const Frame& frame, const wire::AggregationPath& path) {
    const AggregatorFields& fields = frame.aggregator();
    return fields.fan_in_degree0 == path.fan_in_degree0 &&
           fields.fan_in_degree1 == path.fan_in_degree1 && fields.bitmap1 == path.bitmap1;
  }
  /// Whether the frame has the worker's bit. In DSA, the sum of a branch has no bits of workers.
  static bool has_bit(const Frame& frame, const wire::AggregationPath& path) {
    const std::uint32_t bits = frame.aggregator().bitmap0;
    return (bits & path.bitmap0) != 0 || (bits == 0 && frame.has(flag::second_level));
  }
  static bool admits_control(const Frame& frame, const Members& job);
  /// Whether this is a leaf's answer, in DSA, to a reminder for a task that it does not hold. The
  /// leaf answers in place of the worker to which the server addressed the reminder.
  static bool answers_reminder(const Frame& frame, const Members& job) {
    return frame.kind == FrameKind::reminder && frame.destination == job.servers.of(frame.psn) &&
           has_worker_at(job, frame.source);
  }
  static bool has_worker_at(const Members& job, HostId host) {
    return host < job.has_worker.size() && job.has_worker[host];
  }
  static bool admits_among_workers(const Frame& frame, const Members& job) {
    const bool is_of_a_flow = frame.kind == FrameKind::gradient ||
                              frame.kind == FrameKind::result ||
                              frame.kind == FrameKind::acknowledgement;
    return is_of_a_flow && is_worker(frame, job) && frame.destination != frame.source &&
           has_worker_at(job, frame.destination);
  }

  std::vector<Members> jobs_;

  BOOST_DESCRIBE_CLASS(MemberTable, (), (), (), (jobs_))
};

}  // namespace ina::programs
