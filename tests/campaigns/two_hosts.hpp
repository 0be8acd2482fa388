// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/star_network.hpp"

namespace ina::campaigns {

/// Sends the frames in `to_send`, and records the arrival times of received ones.
class FrameHost final : public testing::Host {
 public:
  void receive(Frame&& frame, Time now) override { arrivals.emplace_back(frame.psn, now); }
  bool next(Frame& out, Time) override {
    if (to_send.empty()) return false;
    out = std::move(to_send.front());
    to_send.pop_front();
    return true;
  }
  Time deadline() const override { return kNever; }
  void expire(Time) override {}

  std::deque<Frame> to_send;
  std::vector<std::pair<Psn, Time>> arrivals;
};

/// A sender and a receiver, both linked to one switch that runs Program.
template <class Program>
class TwoHosts {
 public:
  static constexpr Time kDelay = std::chrono::microseconds(1);
  static constexpr std::uint16_t kBytes = 306;  ///< size of each frame
  static constexpr testing::StarNetwork::Config kEqualDelays{
      .format = wire::Format::ps, .min_delay = kDelay, .max_delay = kDelay};

  explicit TwoHosts(const testing::StarNetwork::Config& config = kEqualDelays)
      : random_(1), network(config, std::make_unique<Program>(), pool_, random_) {
    from = network.add(sender, "sender");
    to = network.add(receiver, "receiver");
  }

  void send(Psn psn, FrameKind kind = FrameKind::gradient) {
    Frame frame;
    frame.psn = psn;
    frame.kind = kind;
    frame.source = from;
    frame.destination = to;
    frame.bytes = kBytes;
    sender.to_send.push_back(std::move(frame));
    network.wake_at(from, network.now());
  }
  std::vector<Psn> received() const {
    std::vector<Psn> psns;
    for (const auto& [psn, at] : receiver.arrivals) psns.push_back(psn);
    return psns;
  }

 private:
  ValuePool pool_{1};
  testing::Random random_;

 public:
  FrameHost sender;
  FrameHost receiver;
  testing::StarNetwork network;
  HostId from = 0;
  HostId to = 0;
};

}  // namespace ina::campaigns
