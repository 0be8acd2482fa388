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

/// By which ports frames of a job leave a switch.
struct JobPorts {
  std::vector<PortIndex> group;  ///< to each of its workers; one frame for each port
  std::optional<PortIndex> up;   ///< towards its root
  /// To its servers that hang on other switches below.
  std::vector<std::pair<HostId, PortIndex>> servers = {};
};

/// Whose frames of a job a switch lets in, and where it sends what is for every worker.
struct JobMembers {
  std::vector<HostId> workers;  ///< as MemberTable::install() has them
  wire::JobServers servers;
  std::vector<wire::AggregationPath> paths;  ///< of the workers
  std::vector<HostId> group;                 ///< the workers under this switch
  /// Of a leaf: a host to which the root's port leads.
  std::optional<HostId> towards_root = std::nullopt;
  /// In place of the last one, where several ports lead to a host; those of `group` in its order.
  std::optional<JobPorts> ports = std::nullopt;
  bool only_forwards = false;  ///< nothing of the job is added up here
  bool among_workers = false;  ///< they send each other, and no one else
};

/// A switch around its data-plane program, in every world: ports, routes, groups and members of
/// jobs, reboots. Queues, links and time are the world's. It brings a frame that came in to
/// admit(), to process(), and, unless that drops it, when its further passes have ended, to
/// egress().
///
/// What the workers and servers of a job that is added up send each other goes up to the root of
/// its tree and down from there, also where a switch below has both ends. So the root sees all of
/// it, in the order in which each branch sent it.
class SwitchNode {
 public:
  /// A program that knows no job yet; needed before all that follows, except for ports and routes.
  void set_program(std::unique_ptr<programs::SwitchProgram> program) {
    program_ = std::move(program);
    is_active_ = program_ != nullptr && program_->is_active();
  }
  /// Null: none was set.
  programs::SwitchProgram* program() const { return program_.get(); }

  /// A port to a host, with its route. What comes in here is of a host to which this port alone
  /// leads: of this one, and of others to which set_route() makes it lead, at the same machine.
  PortIndex add_port(HostId host);
  /// A port to another switch, with the routes to the hosts behind that: only their frames come in
  /// here, and only those for others.
  PortIndex add_trunk(const std::vector<HostId>& hosts);
  /// From now on frames to the host leave by this port.
  void set_route(HostId host, PortIndex port);
  /// By one of these.
  void set_routes(const std::vector<HostId>& hosts, const std::vector<PortIndex>& ports);
  /// `height`: of the switch, as wire::pick() has it.
  void set_path_choice(const wire::PathChoice& choice, std::uint8_t height) {
    routes_.set_path_choice(choice, height);
  }

  /// From the first job on, only members send frames of their jobs, each in its own name. Throws
  /// as set_group(), also if nothing leads towards the root. Of a job that it only forwards the
  /// program hears nothing.
  void install_job(JobId job, const programs::JobEntry& entry, const JobMembers& members);
  /// Nobody is a member of the job any more. Returns how many aggregators it held, which are free;
  /// 0 if it is not installed.
  std::uint64_t remove_job(JobId job);
  /// The hosts to which multicast frames of a job go, one for all behind a trunk. Throws
  /// std::invalid_argument if one has no route, or several.
  void set_group(JobId job, const std::vector<HostId>& hosts);
  /// The same by ports, each of which gets one frame however often it stands there.
  void set_group_ports(JobId job, const std::vector<PortIndex>& ports);

  /// A reboot begins: registers and jobs are lost, and so is what arrives until come_back(). Ports,
  /// routes, groups and counters stay. `program`: with which it comes back; knows no job yet.
  void go_down(std::unique_ptr<programs::SwitchProgram> program);
  void come_back() { down_ = false; }
  bool is_down() const { return down_; }

  /// By which frames to a host leave, if only one leads there. Throws std::invalid_argument.
  PortIndex port_to(HostId host) const;
  /// By which a flow leaves that is of no job, such as one of TCP: of several ports that lead to
  /// the host, by one that is the same for all of the flow. Nothing: no port leads there.
  std::optional<PortIndex> way_of_flow(HostId host, std::uint64_t flow) const;

  /// Whether a frame that came in at a port may go to the program; counted if not.
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
  /// What becomes of a frame that was let in at a port.
  rmt::Verdict process(Frame& frame, PortIndex ingress, Time now) {
    if (has_trees_) [[unlikely]] {
      const rmt::Verdict::Exit passing = pass_by(frame, ingress);
      return passing != rmt::Verdict::Exit::drop ? rmt::Verdict{passing}
                                                 : redirect(frame, decide(frame, now));
    }
    return program_->process(frame, now);
  }
  /// The three steps of that, for who watches the program. How a frame leaves that goes past it,
  /// between a server below and the root; `drop`: it does not go past.
  rmt::Verdict::Exit pass_by(const Frame& frame, PortIndex ingress) const;
  rmt::Verdict decide(Frame& frame, Time now) {
    return admission_.only_forwards(frame.job) ? pass_on(frame) : program_->process(frame, now);
  }
  /// To the root with what the program sends to a server.
  rmt::Verdict redirect(const Frame& frame, rmt::Verdict verdict) const;
  /// Whether the program may have frames of its own or deadlines: if not, the next three do
  /// nothing, and need not be called for each frame.
  bool is_active() const { return is_active_; }
  /// Calls `send(frame, verdict)` for each `Frame&` that the program sends by itself. To be called
  /// after process(), when that frame has been sent, and after expire(). What is sent goes on as
  /// what comes of process() does. `watch(frame, exit)` sees each frame before, as it leaves the
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
  /// Deadline of the next expire(). It may move in process(), send_own(), expire(), install_job()
  /// and remove_job(). kNever during a reboot.
  Time deadline() const { return is_active_ && !down_ ? program_->deadline() : kNever; }
  /// To be called at deadline() or later. Throws std::logic_error if the program's deadline is not
  /// later than `now` afterwards.
  void expire(Time now);
  /// The ports by which a frame leaves, valid until routes or groups change; none, which is
  /// counted: nothing leads to its destination. `exit`: not `drop`.
  std::span<const PortIndex> egress(const Frame& frame, rmt::Verdict::Exit exit) {
    const std::span<const PortIndex> ports = ports_of(frame, exit);
    if (ports.empty()) [[unlikely]] {
      ++without_route_;
    }
    return ports;
  }

  /// Of a job, also before reboots; nothing if it was never installed.
  programs::AggregatorCounters aggregator_counters(JobId job) const;
  /// Frames that the program dropped as nobody's, also before reboots.
  std::uint64_t rejected() const { return earlier_rejected_ + program_->rejected_frames(); }
  /// Frames that no member of their job may send.
  std::uint64_t refused() const { return refused_; }
  /// Frames to hosts or jobs to which nothing leads.
  std::uint64_t without_route() const { return without_route_; }
  /// Frames that arrived during reboots.
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
  bool is_active_ = false;  // the program
  Admission admission_;
  Routes routes_;
  bool has_trees_ = false;                             // some job's root is elsewhere
  std::vector<std::vector<PortIndex>> groups_;         // by JobId
  std::vector<std::vector<HostPort>> below_;           // by JobId: of its tree, by host
  std::vector<programs::AggregatorCounters> earlier_;  // by JobId: before the last reboot
  std::uint64_t earlier_rejected_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t without_route_ = 0;
  std::uint64_t while_down_ = 0;

  BOOST_DESCRIBE_CLASS(SwitchNode, (), (), (), (program_, admission_))
};

/// Apart from send_to_each(), where most frames leave by one port.
template <class Send>
[[gnu::noinline]] void send_copies(std::span<const PortIndex> ports, const Frame& frame,
                                   Send& send) {
  for (const PortIndex port : ports) send(port, frame);
}

/// Calls `send(port, frame)` for each port, of which there is one at least: `const Frame&` to copy,
/// where it has to stand in the end, and for the last port `Frame&&`.
template <class Send>
void send_to_each(std::span<const PortIndex> ports, Frame& frame, Send&& send) {
  if (ports.size() > 1) send_copies(ports.first(ports.size() - 1), frame, send);
  send(ports.back(), std::move(frame));
}

}  // namespace ina::node
