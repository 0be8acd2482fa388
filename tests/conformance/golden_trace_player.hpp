// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "tests/conformance/golden_trace_programs.hpp"
#include "tests/exploration/passing.hpp"

namespace ina::golden_traces {

/// The effect of a step of a golden trace: the keys `out` and `further_passes`.
struct Outcome {
  bool is_processed = false;  ///< not if the switch admits no such frame, or it has no pass left
  Json out = nullptr;
  Json further_passes = {0, 0};
};

/// Plays the steps of a golden trace to a data-plane program, in order. The switch admits the
/// members' frames. If the trace has the key `separate`, each step is one pass: of the frame that
/// comes, or of the frame that came in step `pass_of`.
template <class Program>
class Player {
 public:
  Player(const Json& golden_trace, wire::Format format, TraceSwitch& at, Program& program)
      : separates_(golden_trace.value("separate", false)),
        format_(format),
        at_(at),
        pool_(golden_trace.at("values_per_packet").get<std::size_t>()),
        program_(program) {}

  Outcome play(const Json& step) {
    now_ = std::chrono::microseconds(step.at("at_us"));
    outcome_ = {};
    step.contains("pass_of") ? go_on(step.at("pass_of").get<std::size_t>()) : come(step);
    ++number_;
    return std::move(outcome_);
  }

 private:
  void come(const Json& step) {
    const auto ingress = step.at("ingress").get<HostId>();
    auto frame = wire::decode(format_, bytes_of(step.at("frame")), pool_);
    if (!frame || !at_.admit(*frame, ingress)) return;
    outcome_.is_processed = true;
    if (!program_.separates_passes()) return run_all_passes(*frame, ingress);
    exploration::Passing packet{std::move(*frame), {}};
    const rmt::Verdict verdict = at_.first_pass(packet.frame, packet.carry, ingress, now_);
    end_pass(number_, std::move(packet), verdict);
  }

  void run_all_passes(Frame& frame, HostId ingress) {
    const rmt::Verdict verdict = at_.process(frame, ingress, now_);
    outcome_.out = out_of(at_, format_, frame, verdict);
    outcome_.further_passes = {verdict.resubmits, verdict.recirculations};
  }

  void go_on(std::size_t number) {
    auto packet = waiting_.extract(number);
    if (packet.empty()) return;
    outcome_.is_processed = true;
    exploration::Passing& one = packet.mapped();
    const rmt::Verdict verdict = at_.next_pass(one.frame, one.carry, now_);
    end_pass(number, std::move(one), verdict);
  }

  /// With separate passes, the next pass is a step of its own.
  void end_pass(std::size_t number, exploration::Passing packet, const rmt::Verdict& verdict) {
    if (!verdict.continues()) {
      outcome_.out = out_of(at_, format_, packet.frame, verdict);
      return;
    }
    Json& passes = outcome_.further_passes;
    passes = {passes[0].get<int>() + verdict.resubmits,
              passes[1].get<int>() + verdict.recirculations};
    waiting_.emplace(number, std::move(packet));
    if (!separates_) go_on(number);
  }

  bool separates_;
  wire::Format format_;
  TraceSwitch& at_;
  ValuePool pool_;
  Program& program_;
  Time now_{};
  Outcome outcome_;
  std::size_t number_ = 0;
  std::map<std::size_t, exploration::Passing> waiting_;  // by the step in which the frame came
};

}  // namespace ina::golden_traces
