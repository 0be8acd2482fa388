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

/// The ports through which frames of a job leave a switch.
struct JobPorts {
  std::vector<PortIndex> group;  ///< port to each worker; each distinct port sends one copy
  std::optional<PortIndex> up;   ///< port towards the root of the job's tree
  /// Servers of the job that are attached to switches below this one, each with the port to it.
  std::vector<std::pair<HostId, PortIndex>> servers = {};
};

/// Members of a job from which a switch admits frames, and the workers that receive a copy of each
/// multicast frame.
struct JobMembers {
  std::vector<HostId> workers;  ///< as in MemberTable::install()
  wire::JobServers servers;
  std::vector<wire::AggregationPath> paths;  ///< paths of the workers
  std::vector<HostId> group;                 ///< the workers under this switch
  /// At a leaf: any host that is reached through the port towards the root.
  std::optional<HostId> towards_root = std::nullopt;
  /// Required if several ports lead to a host, and then replaces `towards_root`. Its `group` lists
  /// the ports of the workers in the same order as the `group` above.
  std::optional<JobPorts> ports = std::nullopt;
  bool only_forwards = false;  ///< this switch adds none of the job's values
  bool among_workers = false;  ///< workers send only to each other
};

/// All of a switch except queues, links and time, which the caller models: the data-plane program,
/// and the ports, routes, multicast groups, members of jobs and reboots around it. The caller
/// passes an incoming frame to admit(), then to process() and, unless process() drops it, to
/// egress() once the frame's further passes have ended. If the program separates passes, the caller
/// may replace process() by first_pass(), and next_pass() for each further pass.
///
/// If switches add a job's gradients, all frames between its workers and servers go up to the root
/// of the job's tree and down again, even if a lower switch connects both ends. The root thus sees
/// all of these frames, those of each branch in the order in which the branch sent them.
class SwitchNode {
 public:
  /// Sets a program in which no job is installed yet. Call this before any function below, except
  /// those that set ports and routes.
  void set_program(std::unique_ptr<programs::SwitchProgram> program) {
    program_ = std::move(program);
    is_active_ = program_ != nullptr && program_->is_active();
  }
  /// Returns null if no program was set.
  programs::SwitchProgram* program() const { return program_.get(); }

  /// Adds a port to a host, and the route to that host. The port admits only frames from hosts that
  /// no other port leads to: this host, and any further ones that set_route() assigns to this port.
  PortIndex add_port(HostId host);
  /// Adds a port to another switch, and routes to the hosts that are reached through it. The port
  /// admits only frames from these hosts to other hosts.
  PortIndex add_trunk(const std::vector<HostId>& hosts);
  /// Makes this port the only route to the host.
  void set_route(HostId host, PortIndex port);
  /// Makes these ports the routes to each of the hosts; each frame leaves through one of them.
  void set_routes(const std::vector<HostId>& hosts, const std::vector<PortIndex>& ports);
  /// `height`: the switch's height, as in wire::pick().
  void set_path_choice(const wire::PathChoice& choice, std::uint8_t height) {
    routes_.set_path_choice(choice, height);
  }

  /// From the first job on, only members may send frames of a job, each under its own name.
  /// Throws like set_group(), and also if no port leads towards the root. A job that this switch
  /// only forwards is not installed in the program.
  void install_job(JobId job, const programs::JobEntry& entry, const JobMembers& members);
  /// Removes the job and its members, and frees its aggregators. Returns the number of aggregators
  /// freed, or 0 if the job is not installed.
  std::uint64_t remove_job(JobId job);
  /// Sets the hosts that receive multicast frames of a job. Hosts that are reached through the same
  /// port share one copy. Throws std::invalid_argument unless each host has exactly one route.
  void set_group(JobId job, const std::vector<HostId>& hosts);
  /// Like set_group(), but takes ports. A port that is listed several times sends only one copy.
  void set_group_ports(JobId job, const std::vector<PortIndex>& ports);

  /// Begins a reboot: registers and jobs are lost, and so are frames that arrive until come_back().
  /// Ports, routes, groups and counters are kept. `program`: the program after the reboot, in which
  /// no job is installed.
  void go_down(std::unique_ptr<programs::SwitchProgram> program);
  void come_back() { down_ = false; }
  bool is_down() const { return down_; }

  /// The port through which frames to a host leave. Throws std::invalid_argument unless exactly one
  /// port leads to the host.
  PortIndex port_to(HostId host) const;
  /// The port through which a flow that belongs to no job, such as a TCP connection, leaves: always
  /// the same one, even if several ports lead to the host. Empty if no port leads to the host.
  std::optional<PortIndex> way_of_flow(HostId host, std::uint64_t flow) const;

  /// Whether a frame that arrived at port `ingress` may be processed. Refused frames are counted.
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
  /// Runs the first pass of a frame that was admitted at a port. Verdict, and use of `carry`, as in
  /// SwitchProgram::pass().
  rmt::Verdict first_pass(Frame& frame, rmt::Carry& carry, PortIndex ingress, Time now) {
    const rmt::Verdict::Exit passing = pass_by(frame, ingress);
    if (passing != rmt::Verdict::Exit::drop) return {passing};
    if (admission_.only_forwards(frame.job)) return redirect(frame, pass_on(frame));
    return next_pass(frame, carry, now);
  }
  /// Runs a further pass.
  rmt::Verdict next_pass(Frame& frame, rmt::Carry& carry, Time now) {
    const rmt::Verdict verdict = program_->pass(frame, carry, now);
    return verdict.continues() ? verdict : redirect(frame, verdict);
  }
  /// pass_by(), decide() and redirect() are the three steps of process(), for callers that observe
  /// the program. Frames between the root and a server below this switch bypass the program:
  /// pass_by() returns the exit of such a frame, and `drop` for any other, which decide() takes.
  rmt::Verdict::Exit pass_by(const Frame& frame, PortIndex ingress) const;
  rmt::Verdict decide(Frame& frame, Time now) {
    return admission_.only_forwards(frame.job) ? pass_on(frame) : program_->process(frame, now);
  }
  /// Sends the frame up to the root if the program forwarded it to a server of a job with a tree.
  rmt::Verdict redirect(const Frame& frame, rmt::Verdict verdict) const;
  /// Whether the program may send frames of its own or have deadlines. If not, the functions
  /// send_own(), deadline() and expire() do nothing, and need not be called for each frame.
  bool is_active() const { return is_active_; }
  /// Calls `watch(frame, exit)` and then `send(frame, verdict)` for each `Frame&` that the program
  /// sends on its own initiative. Call this after process(), once the processed frame has been
  /// sent, and after expire(). The caller treats these frames like those from process(). `watch`
  /// sees the exit that the program chose, before redirect().
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
  /// Time at which expire() is due. process(), send_own(), expire(), install_job() and remove_job()
  /// may change it. It is kNever during a reboot.
  Time deadline() const { return is_active_ && !down_ ? program_->deadline() : kNever; }
  /// Call this at deadline() or later. Throws std::logic_error if the program then sets a deadline
  /// that is not later than `now`.
  void expire(Time now);
  /// The ports through which a frame leaves. The span is valid until routes or groups change. It is
  /// empty if no port leads to the destination; such frames are counted. `exit` must not be `drop`.
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
  /// Number of frames that were refused because their sender may not send them.
  std::uint64_t refused() const { return refused_; }
  /// Number of frames for which there was no route to the host, or no group of the job.
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
  bool has_trees_ = false;                             // whether another switch is a job's root
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

/// Kept out of send_to_each(), which is inlined, because most frames leave through one port.
template <class Send>
[[gnu::noinline]] void send_copies(std::span<const PortIndex> ports, const Frame& frame,
                                   Send& send) {
  for (const PortIndex port : ports) send(port, frame);
}

/// Calls `send(port, frame)` for each port. There must be at least one. `frame` is a `Frame&&` for
/// the last port and a `const Frame&` for all others, so that `send` makes each copy directly where
/// it is needed.
template <class Send>
void send_to_each(std::span<const PortIndex> ports, Frame& frame, Send&& send) {
  if (ports.size() > 1) send_copies(ports.first(ports.size() - 1), frame, send);
  send(ports.back(), std::move(frame));
}

}  // namespace ina::node
