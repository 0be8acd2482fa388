// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/path_choice.hpp"
#include "switch-models/node/admission.hpp"
#include "switch-models/node/routes.hpp"
#include "switch-models/programs/switch_program.hpp"

namespace ina::node {

/// The ports by which frames of a job leave a switch.
struct JobPorts {
  std::vector<PortIndex> group;  ///< ports to each of its workers; each port gets one frame
  std::optional<PortIndex> up;   ///< towards its root
  /// Ports to its servers that are attached to other switches below.
  std::vector<std::pair<HostId, PortIndex>> servers = {};
};

/// Members from which a switch admits frames of a job, and the recipients of frames for every
/// worker.
struct JobMembers {
  std::vector<HostId> workers;  ///< as in MemberTable::install()
  wire::JobServers servers;
  std::vector<wire::AggregationPath> paths;  ///< paths of the workers
  std::vector<HostId> group;                 ///< the workers under this switch
  /// At a leaf: a host to which the root's port leads.
  std::optional<HostId> towards_root = std::nullopt;
  /// Replaces the previous member if several ports lead to a host. Its `group` is in the order of
  /// the other `group`.
  std::optional<JobPorts> ports = std::nullopt;
  bool only_forwards = false;  ///< this switch adds nothing of the job
  bool among_workers = false;  ///< workers send only to each other
};

/// A switch around its data-plane program, in the simulator and in software: ports, routes, groups
/// and members of jobs, reboots. The caller models queues, links and time. It passes an incoming
/// frame to admit(), to process() and, unless that drops it, to egress() when the frame's further
/// passes have ended.
///
/// Frames between the workers and servers of a job that is added go up to the root of its tree and
/// down from there, even if a switch below has both ends. The root thus sees all of them, in the
/// order in which each branch sent them.
class SwitchNode {
 public:
  /// Sets a program that knows no job yet. Required before all functions below, except for those of
  /// ports and routes.
  void set_program(std::unique_ptr<programs::SwitchProgram> program) {
    program_ = std::move(program);
    is_active_ = program_ != nullptr && program_->is_active();
  }
  /// Null if none was set.
  programs::SwitchProgram* program() const { return program_.get(); }

  /// Adds a port to a host, with its route. The port admits frames of hosts to which this port
  /// alone leads: this one, and others that set_route() adds on the same machine.
  PortIndex add_port(HostId host);
  /// Adds a port to another switch, with the routes to the hosts behind it. The port admits only
  /// frames of these hosts, to other hosts.
  PortIndex add_trunk(const std::vector<HostId>& hosts);
  /// From now on, frames to the host leave by this port.
  void set_route(HostId host, PortIndex port);
  /// From now on, frames to the hosts leave by one of these ports.
  void set_routes(const std::vector<HostId>& hosts, const std::vector<PortIndex>& ports);
  /// `height`: the switch's height, as in wire::pick().
  void set_path_choice(const wire::PathChoice& choice, std::uint8_t height) {
    routes_.set_path_choice(choice, height);
  }

  /// From the first job on, only members may send frames of their jobs, each in its own name.
  /// Throws like set_group(), and also if nothing leads towards the root. A job that is only
  /// forwarded is not installed in the program.
  void install_job(JobId job, const programs::JobEntry& entry, const JobMembers& members);
  /// Removes all members of the job. Returns the number of aggregators that it held, which are free
  /// now; 0 if it is not installed.
  std::uint64_t remove_job(JobId job);
  /// Sets the hosts that receive multicast frames of a job; hosts behind the same trunk share one
  /// frame. Throws std::invalid_argument if a host has no route, or several.
  void set_group(JobId job, const std::vector<HostId>& hosts);
  /// Like set_group(), by ports. Each port gets one frame, however often it is listed.
  void set_group_ports(JobId job, const std::vector<PortIndex>& ports);

  /// Begins a reboot: registers and jobs are lost, and so are frames that arrive until come_back().
  /// Ports, routes, groups and counters stay. `program`: the program after the reboot; knows no job
  /// yet.
  void go_down(std::unique_ptr<programs::SwitchProgram> program);
  void come_back() { down_ = false; }
  bool is_down() const { return down_; }

  /// The port by which frames to a host leave. Throws std::invalid_argument unless exactly one
  /// leads there.
  PortIndex port_to(HostId host) const;
  /// The port by which a flow without a job, such as one of TCP, leaves. If several ports lead to
  /// the host, it is the same one for all frames of the flow. Nothing if no port leads there.
  std::optional<PortIndex> way_of_flow(HostId host, std::uint64_t flow) const;

  /// Whether a frame that came in at a port may go to the program. Rejected frames are counted.
  bool admit(const Frame& frame, PortIndex ingress) {
    if (down_) [[unlikely]] {
      ++while_down_;
      return false;
    }
    if (admission_.admits(frame, ingress, routes_)) [[likely]] {
      return true;
    }
    ++refused_;
    return false;
  }
  /// Processes a frame that was admitted at a port, and returns how it leaves.
  rmt::Verdict process(Frame& frame, PortIndex ingress, Time now) {
    if (has_trees_) [[unlikely]] {
      const rmt::Verdict::Exit passing = pass_by(frame, ingress);
      return passing != rmt::Verdict::Exit::drop ? rmt::Verdict{passing}
                                                 : redirect(frame, decide(frame, now));
    }
    return program_->process(frame, now);
  }
  /// The three steps of process(), for callers that observe the program. pass_by() returns how a
  /// frame leaves that bypasses the program, between a server below and the root; `drop`: it does
  /// not bypass it.
  rmt::Verdict::Exit pass_by(const Frame& frame, PortIndex ingress) const;
  rmt::Verdict decide(Frame& frame, Time now) {
    return admission_.only_forwards(frame.job) ? pass_on(frame) : program_->process(frame, now);
  }
  /// Redirects frames that the program sends to a server towards the root.
  rmt::Verdict redirect(const Frame& frame, rmt::Verdict verdict) const;
  /// Whether the program may have frames of its own or deadlines. If not, the next three functions
  /// do nothing, and need not be called for each frame.
  bool is_active() const { return is_active_; }
  /// Calls `send(frame, verdict)` for each `Frame&` that the program sends by itself. Call this
  /// after process(), once that frame has been sent, and after expire(). Sent frames continue like
  /// those of process(). `watch(frame, exit)` is called before, with each frame as it leaves the
  /// program.
  template <class Send, class Watch>
  void send_own(Time now, Send&& send, Watch&& watch) {
    if (!is_active_ || down_) return;
    for (;;) {
      Frame frame;
      const rmt::Verdict verdict = program_->next(frame, now);
      if (verdict.exit == rmt::Verdict::Exit::drop) return;
      watch(std::as_const(frame), verdict.exit);
      send(frame, redirect(frame, verdict));
    }
  }
  template <class Send>
  void send_own(Time now, Send&& send) {
    send_own(now, std::forward<Send>(send), [](const Frame&, rmt::Verdict::Exit) {});
  }
  /// Deadline of the next expire(). It may change in process(), send_own(), expire(), install_job()
  /// and remove_job(). kNever during a reboot.
  Time deadline() const { return is_active_ && !down_ ? program_->deadline() : kNever; }
  /// Call this at deadline() or later. Throws std::logic_error if the program's deadline is not
  /// later than `now` afterwards.
  void expire(Time now);
  /// The ports by which a frame leaves, valid until routes or groups change. Empty if nothing leads
  /// to its destination; such frames are counted. `exit`: not `drop`.
  std::span<const PortIndex> egress(const Frame& frame, rmt::Verdict::Exit exit) {
    const std::span<const PortIndex> ports = ports_of(frame, exit);
    if (ports.empty()) [[unlikely]] {
      ++without_route_;
    }
    return ports;
  }

  /// Counters of a job, including those before reboots; all zero if it was never installed.
  programs::AggregatorCounters aggregator_counters(JobId job) const;
  /// Number of frames that the program rejected, including those before reboots.
  std::uint64_t rejected() const { return earlier_rejected_ + program_->rejected_frames(); }
  /// Number of frames that no member of their job may send.
  std::uint64_t refused() const { return refused_; }
  /// Number of frames to hosts or jobs without a route.
  std::uint64_t without_route() const { return without_route_; }
  /// Number of frames that arrived during reboots.
  std::uint64_t while_down() const { return while_down_; }

 private:
  using HostPort = std::pair<HostId, PortIndex>;

  void set_paths_down(JobId job, std::vector<HostPort> paths);
  rmt::Verdict pass_on(const Frame& frame) const;

  std::span<const PortIndex> route_to(const Frame& frame) const {
    const std::span<const PortIndex> only = routes_.only_port_of(frame);
    return only.empty() ? chosen_route(frame) : only;
  }
  std::span<const PortIndex> chosen_route(const Frame& frame) const;
  const PortIndex* route_in_tree(const Frame& frame, std::span<const PortIndex> ports) const;
  bool is_below_root(JobId job) const { return !admission_.up(job).empty(); }
  std::span<const PortIndex> group_of(JobId job) const {
    if (job >= groups_.size()) return {};
    return groups_[job];
  }
  std::span<const PortIndex> ports_of(const Frame& frame, rmt::Verdict::Exit exit) const {
    if (exit == rmt::Verdict::Exit::multicast) return group_of(frame.job);
    return exit == rmt::Verdict::Exit::up ? admission_.up(frame.job) : route_to(frame);
  }

  std::unique_ptr<programs::SwitchProgram> program_;
  bool down_ = false;
  bool is_active_ = false;  // whether the program is active
  Admission admission_;
  Routes routes_;
  bool has_trees_ = false;                             // whether some job's root is elsewhere
  std::vector<std::vector<PortIndex>> groups_;         // by JobId
  std::vector<std::vector<HostPort>> below_;           // by JobId: ports of the job's tree, by host
  std::vector<programs::AggregatorCounters> earlier_;  // by JobId: counters from before the last
                                                       // reboot
  std::uint64_t earlier_rejected_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t without_route_ = 0;
  std::uint64_t while_down_ = 0;

  BOOST_DESCRIBE_CLASS(SwitchNode, (), (), (), (program_, admission_))
};

/// Separate from send_to_each(), because most frames leave by one port.
template <class Send>
[[gnu::noinline]] void send_copies(std::span<const PortIndex> ports, const Frame& frame,
                                   Send& send) {
  for (const PortIndex port : ports) send(port, frame);
}

/// Calls `send(port, frame)` for each port, of which there must be at least one. All ports except
/// the last get a `const Frame&`, to be copied directly to its final place; the last gets a
/// `Frame&&`.
template <class Send>
void send_to_each(std::span<const PortIndex> ports, Frame& frame, Send&& send) {
  if (ports.size() > 1) send_copies(ports.first(ports.size() - 1), frame, send);
  send(ports.back(), std::move(frame));
}

}  // namespace ina::node
