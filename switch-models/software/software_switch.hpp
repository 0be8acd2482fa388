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
  /// frame that the program sends on its own initiative.
  virtual void departed(const Frame& frame, rmt::Verdict::Exit exit) = 0;
};

/// A SwitchNode with links and queues but without devices or a clock: receive() takes frames,
/// next() returns them, and time is an argument. It has one shared buffer with tail drop, and one
/// egress queue with ECN marking per port. It also applies the links' faults, such as losses.
///
/// It can also be one part of such a switch, with its own program, tables, queues and counters.
/// Each part may run in its own thread, provided that every frame goes to the part that owns the
/// frame's aggregator (wire::core_of). The parts share SharedLinks.
class SoftwareSwitch {
 public:
  /// Counters of one direction of a port's link.
  struct LinkCounters {
    std::uint64_t dropped = 0;  ///< because the buffer was full
    std::uint64_t marked = 0;
    std::uint64_t lost = 0;  ///< this and the next three count faults
    std::uint64_t corrupted = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t delayed = 0;

    LinkCounters& operator+=(const LinkCounters& other);
  };

  SoftwareSwitch(std::shared_ptr<SharedLinks> links,
                 std::unique_ptr<programs::SwitchProgram> program);

  /// See SwitchNode for this function and the next seven.
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

  /// The ports for a frame that this switch makes itself, as in SwitchNode::egress().
  std::span<const PortIndex> egress(const Frame& frame, rmt::Verdict::Exit exit) {
    return node_.egress(frame, exit);
  }

  /// Accepts a frame that arrived at port `ingress`.
  void receive(Frame&& frame, PortIndex ingress, Time now);
  /// Writes the next frame that port `egress` sends to `out`. Returns false if there is none.
  bool next(PortIndex egress, Frame& out);
  /// Time at which expire() is due, for frames that faults hold back or for the program.
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
  /// Calls `arrive` for each copy of the frame that arrives now. Holds back copies that are late.
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
