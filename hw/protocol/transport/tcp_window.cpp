// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/tcp_window.hpp"

#include <algorithm>
#include <cmath>

#include "hw/protocol/units.hpp"

namespace ina {

namespace {

constexpr double kScale = 0.4;         // C of RFC 9438, 4.1
constexpr double kMostPerPacket = 20;  // before the first cut, as in Linux
constexpr double kLeastPerPacket = 2;  // the window grows by at most half per round trip

double seconds(Time time) { return static_cast<double>(time.count()) / kPsPerS; }

}  // namespace

void CubicGrowth::begin_epoch(std::uint32_t packets, Time now) {
  epoch_begins_ = false;
  epoch_ = now;
  reno_ = packets;
  origin_ = std::max<double>(largest_, packets);
  plateau_s_ = std::cbrt((origin_ - packets) / kScale);
}

double CubicGrowth::acknowledged_per_packet(std::uint32_t packets, std::uint32_t acknowledged,
                                            Time now, Time round_trip) {
  if (epoch_begins_) begin_epoch(packets, now);
  constexpr double kRenoGrowth = 3 * (1 - kBeta) / (1 + kBeta);
  reno_ += kRenoGrowth * acknowledged / packets;
  const double since_plateau = seconds(now + round_trip - epoch_) - plateau_s_;
  const double target = origin_ + kScale * since_plateau * since_plateau * since_plateau;
  const double growth = std::max(target, reno_) - packets;
  const double most = largest_ == 0 ? kMostPerPacket : 100.0 * packets;
  if (growth * most <= packets) return most;
  return std::max(packets / growth, kLeastPerPacket);
}

/// A window that shrinks from cut to cut releases bandwidth for new flows (RFC 9438, 4.7).
void CubicGrowth::cut(std::uint32_t packets) {
  largest_ = packets < largest_ ? packets * (1 + kBeta) / 2 : packets;
  epoch_begins_ = true;
}

bool TrainDetector::ends_slow_start(std::uint32_t packets, std::uint32_t in_flight,
                                    std::uint32_t window, Time now, Time round_trip) {
  if (round_trip != Time::zero()) shortest_ = std::min(shortest_, round_trip);
  if (until_round_end_ == 0) {
    until_round_end_ = in_flight;
    round_start_ = now;
  }
  until_round_end_ -= std::min(packets, until_round_end_);
  return window >= kLeastWindow && 2 * (now - round_start_) > shortest_;
}

TcpWindow::TcpWindow(const Config& config)
    : control_(config.control),
      reacts_to_marks_(config.reacts_to_marks()),
      dctcp_({.initial_packets = config.initial_packets, .max_packets = config.max_packets}),
      size_(config.initial_packets, config.max_packets) {}

void TcpWindow::acknowledged(std::uint32_t packets, bool marked, std::uint32_t in_flight) {
  if (is_dctcp()) {
    dctcp_.acknowledged(packets, marked, in_flight);
    return;
  }
  until_next_cut_ -= std::min(packets, until_next_cut_);
  if (marked && reacts_to_marks_) {
    cut(in_flight);
  } else {
    grow(packets, in_flight);
  }
}

void TcpWindow::grow(std::uint32_t packets, std::uint32_t in_flight) {
  switch (control_) {
    case FlowControl::new_reno:
      size_.grow(1, 1, in_flight);
      return;
    case FlowControl::linux_reno:
      size_.grow(packets, packets, in_flight);
      return;
    case FlowControl::cubic:
      grow_by_cubic(packets, in_flight);
      return;
    case FlowControl::dctcp:
      return;  // dctcp_ grows
  }
}

void TcpWindow::grow_by_cubic(std::uint32_t packets, std::uint32_t in_flight) {
  if (size_.is_below_threshold()) {
    size_.grow(packets, 0, in_flight);
    if (train_.ends_slow_start(packets, in_flight, size_.packets(), now_, round_trip_)) {
      size_.cut_to(size_.packets());
    }
    return;
  }
  if (in_flight < size_.packets()) return;
  credit_ += packets;
  const double needed = cubic_.acknowledged_per_packet(size_.packets(), packets, now_, round_trip_);
  if (credit_ < needed) return;
  credit_ = std::fmod(credit_, needed);
  size_.grow(1, size_.packets(), in_flight);
}

void TcpWindow::lost(std::uint32_t in_flight) {
  if (is_dctcp()) {
    dctcp_.lost(in_flight);
  } else {
    cut(in_flight);
  }
}

/// Does nothing until all packets that were in flight at the last cut are acknowledged.
void TcpWindow::cut(std::uint32_t in_flight) {
  if (until_next_cut_ > 0) return;
  until_next_cut_ = in_flight;
  const std::uint32_t packets = size_.packets();
  if (control_ == FlowControl::cubic) {
    cubic_.cut(packets);
    size_.cut_to(static_cast<std::uint32_t>(packets * CubicGrowth::kBeta));
  } else {
    size_.cut_to(std::max(packets / 2, 2U));
  }
}

void TcpWindow::timed_out() {
  if (is_dctcp()) {
    dctcp_.timed_out();
    return;
  }
  if (size_.packets() == 1) return;
  cubic_.cut(size_.packets());
  size_.begin_again();
}

}  // namespace ina
