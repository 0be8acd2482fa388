// SPDX-License-Identifier: BSD-3-Clause
// Switch programs that send frames of their own or have deadlines. Tests run them in the simulator,
// the in-memory network, the explorer and the software switch.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "switch-models/programs/switch_program.hpp"

namespace ina::testing {

/// Answers each gradient with three: it consumes the gradient and sends three copies to its
/// destination. Other frames are forwarded.
class ThreefoldProgram : public programs::SwitchProgram {
 public:
  static constexpr int kCopies = 3;

  rmt::Verdict process(Frame& frame, Time) override {
    if (frame.kind != FrameKind::gradient) return programs::forward(frame);
    kept_ = std::move(frame);
    copies_left_ = kCopies;
    return rmt::kDrop;
  }
  bool is_active() const override { return true; }
  rmt::Verdict next(Frame& out, Time) override {
    if (copies_left_ == 0) return rmt::kDrop;
    --copies_left_;
    ++sent_;
    out = copies_left_ == 0 ? std::exchange(kept_, Frame()) : kept_;
    return programs::forward(out);
  }

  /// Number of frames that the program sent by itself.
  std::uint64_t sent() const { return sent_; }

 private:
  Frame kept_;
  int copies_left_ = 0;
  std::uint64_t sent_ = 0;
};

/// Forwards every frame. If no result for a gradient's sender passes within kTimeout, it sends the
/// gradient again, at most kMostRetransmissions times.
class RetransmittingProgram : public programs::SwitchProgram {
 public:
  static constexpr Time kTimeout = std::chrono::microseconds(50);
  static constexpr std::uint8_t kMostRetransmissions = 2;

  struct Kept {
    Frame gradient;
    Time due;
    std::uint8_t retransmissions_left = kMostRetransmissions;
  };

  rmt::Verdict process(Frame& frame, Time now) override {
    if (frame.kind == FrameKind::gradient) kept_.push_back({frame, now + kTimeout});
    if (frame.kind == FrameKind::result) {
      std::erase_if(kept_, [&](const Kept& one) { return is_answer(frame, one.gradient); });
    }
    return programs::forward(frame);
  }
  bool is_active() const override { return true; }
  rmt::Verdict next(Frame& out, Time) override {
    if (outgoing_.empty()) return rmt::kDrop;
    out = std::move(outgoing_.front());
    outgoing_.erase(outgoing_.begin());
    ++sent_;
    return programs::forward(out);
  }
  Time deadline() const override {
    Time first = kNever;
    for (const Kept& one : kept_) first = std::min(first, one.due);
    return first;
  }
  void expire(Time now) override {
    for (Kept& one : kept_) {
      if (one.due > now) continue;
      outgoing_.push_back(one.gradient);
      one.due = --one.retransmissions_left == 0 ? kNever : now + kTimeout;
    }
    std::erase_if(kept_, [](const Kept& one) { return one.retransmissions_left == 0; });
  }

  /// Number of frames that the program sent by itself.
  std::uint64_t sent() const { return sent_; }
  /// Gradients without a result, in order of arrival.
  std::vector<Kept>& kept() { return kept_; }

 private:
  static bool is_answer(const Frame& result, const Frame& gradient) {
    return result.job == gradient.job && result.psn == gradient.psn &&
           (result.destination == gradient.source || result.destination == kAllWorkers);
  }

  std::uint64_t free_aggregators(JobId job) override {
    std::erase_if(kept_, [job](const Kept& one) { return one.gradient.job == job; });
    return 0;
  }

  std::vector<Kept> kept_;
  std::vector<Frame> outgoing_;  // until next() has taken them
  std::uint64_t sent_ = 0;
};

}  // namespace ina::testing
