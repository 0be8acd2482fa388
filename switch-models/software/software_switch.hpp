// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "switch-models/programs/member_table.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/software/shared_links.hpp"

namespace ina::software {

/// Sees the frames that come to the data-plane program, and what it makes of each, in their order.
class TrafficObserver {
 public:
  virtual ~TrafficObserver() = default;
  virtual void arrived(const Frame& frame, HostId ingress, Time now) = 0;
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
  /// Of one direction of a host's link.
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

  void add_port(HostId host);
  /// The ports of the workers and of the server must have been added. `server`:
  /// programs::MemberTable::kNobody if the protocol has none.
  void install_job(JobId job, const programs::JobEntry& entry, const std::vector<HostId>& workers,
                   HostId server);

  /// A frame came in at the port of a host.
  void receive(Frame&& frame, HostId ingress, Time now);
  /// The next frame to send to a host.
  bool next(HostId egress, Frame& out);
  /// When expire() wants to be called: frames that faults hold back come on.
  Time deadline() const { return held_.empty() ? kNever : held_.top().at; }
  void expire(Time now);

  void set_traffic_observer(TrafficObserver* observer) { observer_ = observer; }

  programs::SwitchProgram& program() { return *program_; }
  const programs::SwitchProgram& program() const { return *program_; }
  const LinkCounters& counters(HostId host, Direction direction) const {
    return ports_[host].counters_of(direction);
  }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t without_route() const { return without_route_; }

 private:
  struct Port {
    SharedLinks::Link* link = nullptr;  // none: there is no such port
    GrowingRing<Frame> queue;
    std::array<LinkCounters, 2> counters;  // by direction

    LinkCounters& counters_of(Direction direction) {
      return counters[static_cast<std::size_t>(direction)];
    }
    const LinkCounters& counters_of(Direction direction) const {
      return counters[static_cast<std::size_t>(direction)];
    }
  };
  struct Held {
    Time at;
    std::uint64_t sequence;
    Direction direction;
    HostId host;
    Frame frame;
  };
  struct Later {
    bool operator()(const Held& a, const Held& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  /// Calls `arrive` as often as the frame does, now; what is late is held.
  template <class Arrive>
  void pass_link(Direction direction, HostId host, Frame&& frame, Time now, Arrive&& arrive);
  void process(Frame&& frame, HostId ingress, Time now);
  void leave(HostId egress, Frame&& frame, Time now);
  void enqueue(Port& port, Frame&& frame);

  std::shared_ptr<SharedLinks> links_;
  std::unique_ptr<programs::SwitchProgram> program_;
  TrafficObserver* observer_ = nullptr;
  programs::MemberTable members_;
  std::vector<Port> ports_;                   // by HostId
  std::vector<std::vector<HostId>> workers_;  // by JobId
  std::priority_queue<Held, std::vector<Held>, Later> held_;
  std::uint64_t held_in_all_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t without_route_ = 0;
};

}  // namespace ina::software
