// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "switch-models/node/switch_node.hpp"
#include "switch-models/software/shared_links.hpp"

namespace ina::software {

using node::JobMembers;
using node::PortIndex;

/// Observes the frames that reach the data-plane program, its deadlines, and the frames that it
/// sends, in order.
class TrafficObserver {
 public:
  virtual ~TrafficObserver() = default;
  virtual void arrived(const Frame& frame, PortIndex ingress, Time now) = 0;
  /// A deadline of the program has passed.
  virtual void expired(Time now) = 0;
  /// A frame leaves the program: first the latest arrival, unless it is dropped, and then each
  /// frame that the program sends by itself.
  virtual void departed(const Frame& frame, rmt::Verdict::Exit exit) = 0;
};

/// A SwitchNode with links and queues, without devices: frames enter by receive() and leave by
/// next(), and time is an argument. It has one shared buffer with tail drop, one egress queue per
/// port with ECN marks, and the faults of the links, so the caller need not lose frames.
///
/// It can also be one part of such a switch, with its own program, tables, queues and counters.
/// Each part runs in its own thread, provided that a frame always reaches the part that owns its
/// aggregator (wire::core_of). The parts have SharedLinks in common.
class SoftwareSwitch {
 public:
  /// Counters of one direction of a port's link.
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

  /// This and the next seven are documented in SwitchNode.
  PortIndex add_port(HostId host);
  PortIndex add_trunk(const std::vector<HostId>& hosts);
  void set_routes(const std::vector<HostId>& hosts, const std::vector<PortIndex>& ports) {
    node_.set_routes(hosts, ports);
  }
  void set_path_choice(const wire::PathChoice& choice, std::uint8_t height) {
    node_.set_path_choice(choice, height);
  }
  void install_job(JobId job, const programs::JobEntry& entry, const JobMembers& members) {
    node_.install_job(job, entry, members);
  }
  void remove_job(JobId job) { node_.remove_job(job); }
  void go_down(std::unique_ptr<programs::SwitchProgram> program) {
    node_.go_down(std::move(program));
  }
  void come_back() { node_.come_back(); }

  /// The ports for a frame that this switch itself makes, as in SwitchNode::egress().
  std::span<const PortIndex> egress(const Frame& frame, rmt::Verdict::Exit exit) {
    return node_.egress(frame, exit);
  }

  /// Accepts a frame that came in at a port.
  void receive(Frame&& frame, PortIndex ingress, Time now);
  /// Writes the next frame to send from a port to `out`; false if there is none.
  bool next(PortIndex egress, Frame& out);
  /// Deadline of the next expire(): of frames that faults hold back, and of the program.
  Time deadline() const { return std::min(next_held(), node_.deadline()); }
  void expire(Time now);

  void set_traffic_observer(TrafficObserver* observer) { observer_ = observer; }

  const node::SwitchNode& node() const { return node_; }
  programs::SwitchProgram& program() const { return *node_.program(); }
  const LinkCounters& counters(PortIndex port, Direction direction) const {
    return ports_[port].counters_of(direction);
  }

 private:
  struct Port {
    SharedLinks::Link* link = nullptr;
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
    PortIndex port;
    Frame frame;
  };
  struct Later {
    bool operator()(const Held& a, const Held& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  Time next_held() const { return held_.empty() ? kNever : held_.top().at; }
  PortIndex with_link(PortIndex port);
  /// Calls `arrive` once for each copy of the frame that arrives now; late copies are held.
  template <class Arrive>
  void pass_link(Direction direction, PortIndex port, Frame&& frame, Time now, Arrive&& arrive);
  void process(Frame&& frame, PortIndex ingress, Time now);
  rmt::Verdict process_observed(Frame& frame, PortIndex ingress, Time now);
  void release_held(Time now);
  void expire_program(Time now);
  void send_own(Time now);
  void let_out(Frame& frame, rmt::Verdict::Exit exit, Time now);
  void enqueue(Port& port, Frame&& frame);

  std::shared_ptr<SharedLinks> links_;
  node::SwitchNode node_;
  TrafficObserver* observer_ = nullptr;
  std::vector<Port> ports_;
  std::priority_queue<Held, std::vector<Held>, Later> held_;
  std::uint64_t held_in_all_ = 0;
};

}  // namespace ina::software
