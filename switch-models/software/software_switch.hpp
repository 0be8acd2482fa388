// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "switch-models/programs/member_table.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/software/shared_links.hpp"

namespace ina::software {

/// Ports count from 0 in the order in which they were added.
using PortIndex = std::uint16_t;

/// Whose frames of a job a switch lets in, and where it sends what is for every worker.
struct JobMembers {
  std::vector<HostId> workers;  ///< by rank
  HostId server = programs::MemberTable::kNobody;
  std::vector<wire::AggregationPath> paths;  ///< of the workers
  std::vector<HostId> group;  ///< the workers under this switch; each must have a way
};

/// Sees the frames that come to the data-plane program, and what it makes of each, in their order.
class TrafficObserver {
 public:
  virtual ~TrafficObserver() = default;
  virtual void arrived(const Frame& frame, PortIndex ingress, Time now) = 0;
  /// Of the frame that arrived last, as it leaves the program. Not called if it is dropped.
  virtual void departed(const Frame& frame, rmt::Verdict::Exit exit) = 0;
};

/// A switch around a data-plane program, without ports of its own: frames come in by receive() and
/// leave by next(), time comes in as an argument. One shared buffer with tail drop, an egress queue
/// a port with ECN marks, and the faults of the links, so that whoever moves the frames need not
/// lose any.
/// Or one part of such a switch, with a program, tables, queues and counters of its own: a thread
/// each, if a frame always comes to the part that owns its aggregator (wire::core_of). What they
/// have in common is the SharedLinks.
class SoftwareSwitch {
 public:
  /// Of one direction of a port's link.
  struct LinkCounters {
    std::uint64_t dropped = 0;  ///< no room in the buffer before it
    std::uint64_t marked = 0;
    std::uint64_t lost = 0;  ///< this and the next three: by faults
    std::uint64_t corrupted = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t delayed = 0;

    LinkCounters& operator+=(const LinkCounters& other);
  };

  SoftwareSwitch(std::shared_ptr<SharedLinks> links,
                 std::unique_ptr<programs::SwitchProgram> program);

  /// A port to a host, whose frames come in here only.
  PortIndex add_port(HostId host);
  /// A port to another switch, with the hosts behind that: their frames come in here, and those for
  /// them leave here, one for all that are in a job's group.
  PortIndex add_trunk(const std::vector<HostId>& hosts);
  /// The ports of the group must have been added.
  void install_job(JobId job, const programs::JobEntry& entry, const JobMembers& members);
  /// Forgets a job, and frees its aggregators.
  void remove_job(JobId job);
  /// A reboot begins: registers are lost, and so is what arrives until come_back(). `program`: with
  /// which it comes back; knows no job yet.
  void go_down(std::unique_ptr<programs::SwitchProgram> program);
  void come_back();

  /// A frame came in at a port.
  void receive(Frame&& frame, PortIndex ingress, Time now);
  /// The next frame to send from a port.
  bool next(PortIndex egress, Frame& out);
  /// When expire() wants to be called: frames that faults hold back come on.
  Time deadline() const { return held_.empty() ? kNever : held_.top().at; }
  void expire(Time now);

  void set_traffic_observer(TrafficObserver* observer) { observer_ = observer; }

  programs::SwitchProgram& program() { return *program_; }
  const programs::SwitchProgram& program() const { return *program_; }
  const LinkCounters& counters(PortIndex port, Direction direction) const {
    return ports_[port].counters_of(direction);
  }
  /// Of a job, also before reboots; nothing if it was never installed.
  programs::AggregatorCounters aggregator_counters(JobId job) const;
  /// Refused by the program, also before reboots, or by whom they came from.
  std::uint64_t rejected_frames() const {
    return earlier_rejected_ + program_->rejected_frames() + refused_;
  }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t without_route() const { return without_route_; }

 private:
  static constexpr PortIndex kNoPort = 0xFFFF;

  struct Port {
    SharedLinks::Link* link = nullptr;
    std::optional<HostId> host;  // none: a trunk
    GrowingRing<Frame> queue;
    std::array<LinkCounters, 2> counters;  // by direction

    LinkCounters& counters_of(Direction direction) {
      return counters[static_cast<std::size_t>(direction)];
    }
    const LinkCounters& counters_of(Direction direction) const {
      return counters[static_cast<std::size_t>(direction)];
    }
  };
  /// What the control plane installed, and what became of it before the last reboot.
  struct Job {
    programs::JobEntry entry;
    programs::AggregatorCounters earlier;
    bool installed = false;
  };
  struct Held {
    Time at;
    std::uint64_t sequence;
    Direction direction;
    PortIndex port;
    Frame frame;
  };
  struct Later {
    bool operator()(const Held& a, const Held& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  PortIndex add(std::optional<HostId> host);
  void set_route(HostId host, PortIndex port);
  PortIndex port_of(HostId host) const { return host < port_of_.size() ? port_of_[host] : kNoPort; }
  bool admits(const Frame& frame, PortIndex ingress) const;
  /// Calls `arrive` as often as the frame does, now; what is late is held.
  template <class Arrive>
  void pass_link(Direction direction, PortIndex port, Frame&& frame, Time now, Arrive&& arrive);
  void process(Frame&& frame, PortIndex ingress, Time now);
  void leave(PortIndex egress, Frame&& frame, Time now);
  void enqueue(Port& port, Frame&& frame);

  std::shared_ptr<SharedLinks> links_;
  std::unique_ptr<programs::SwitchProgram> program_;
  TrafficObserver* observer_ = nullptr;
  programs::MemberTable members_;
  std::vector<Port> ports_;
  std::vector<PortIndex> port_of_;              // by HostId
  std::vector<std::vector<PortIndex>> groups_;  // by JobId
  std::vector<Job> jobs_;                       // likewise
  bool down_ = false;
  std::uint64_t earlier_rejected_ = 0;
  std::priority_queue<Held, std::vector<Held>, Later> held_;
  std::uint64_t held_in_all_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t without_route_ = 0;
};

}  // namespace ina::software
