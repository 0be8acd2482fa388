// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/cluster/systems/system.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/fields/counted.hpp"
#include "hw/protocol/transport/congestion_window.hpp"

namespace ina::cluster {

inline constexpr std::uint32_t kMaxWindow = 1'000'000;  ///< packets
inline constexpr std::uint32_t kMaxKeptResults = 1'000'000;

/// Base class of systems whose workers have a window in packets and a time-out from round trips.
template <class Worker>
class WindowedSystem : public System {
 public:
  typename Worker::Config worker;
  /// Maximum window; 0: no limit. Default: the number of packets that a host sends until its first
  /// result arrives, plus what fits the queue of path_of_results(); at least the initial window.
  std::optional<std::uint32_t> max_window_packets;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    using Count = fields::Bounds<std::uint32_t>;
    auto& worker = self.worker;
    visitor.integer(
        "initial_window_packets", worker.window.initial_packets, Count{1, kMaxWindow},
        "Number of packets that a worker may have in flight at first. Maximum: max_window_packets");
    visitor.integer("max_window_packets", self.max_window_packets, Count{0, kMaxWindow},
                    "Maximum number of packets that a worker may have in flight. 0: no limit. "
                    "Default: the number that the network holds");
    visitor.time("min_rto", worker.min_rto, fields::kTimeout,
                 "Minimum time-out of a worker. Time-outs follow the measured round trips, and the "
                 "first one is also at least three unloaded round trips");
    visitor.boolean("congestion_control", worker.window.enabled,
                    "Whether the window of a worker follows ECN marks and losses. false: the "
                    "window keeps its initial size");
  }

  void fill_in(const Environment& environment) override {
    worker.window.max_packets = max_window_packets.value_or(network_holds(environment));
    max_window_packets = worker.window.max_packets;
    worker.first_rto = environment.safe_timeout(worker.min_rto, frame_bytes());
  }

  std::optional<InvalidSetting> find_invalid() const override {
    const std::uint32_t initial = worker.window.initial_packets;
    const std::uint32_t most = max_window_packets.value_or(0);
    if (most == 0 || initial <= most) return std::nullopt;
    return InvalidSetting{
        "initial_window_packets",
        fmt::format("found {0}, but max_window_packets is {1}; allowed: at most {1}",
                    fields::counted(initial, "packet"), most)};
  }

  void limit(const ProcessLimits& limits) override {
    CongestionWindow::Config& window = worker.window;
    const std::uint32_t most = window.max_packets == 0 ? kMaxWindow : window.max_packets;
    window.max_packets = std::min(most, limits.most_packets);
    max_window_packets = window.max_packets;
    window.initial_packets = std::min(window.initial_packets, limits.most_packets);
    worker.min_rto = std::max(worker.min_rto, limits.least_timeout);
    worker.first_rto = std::max(worker.first_rto, worker.min_rto);
  }

  std::uint32_t initial_window() const override { return worker.window.initial_packets; }
  std::vector<TimeoutFloor> timeout_floors() const override {
    return {{.key = "min_rto", .time = worker.min_rto}};
  }

  bool operator==(const WindowedSystem&) const = default;

 protected:
  /// The path from a worker to the source of its results and back: the round trip, and the bytes
  /// that packets may occupy in the queue on the path.
  struct Path {
    Time round_trip;
    std::uint64_t queue_bytes;
  };
  virtual Path path_of_results(const Environment& environment) const = 0;

  /// Default of max_window_packets.
  std::uint32_t network_holds(const Environment& environment) const {
    const Path path = path_of_results(environment);
    const double on_the_way =
        environment.packets_within(path.round_trip, environment.line_rate_bps, frame_bytes());
    const double queued =
        static_cast<double>(path.queue_bytes) / static_cast<double>(frame_bytes());
    const auto least = static_cast<double>(worker.window.initial_packets);
    return static_cast<std::uint32_t>(
        std::max(least, std::min<double>(on_the_way + queued, kMaxWindow)));
  }
};

}  // namespace ina::cluster
