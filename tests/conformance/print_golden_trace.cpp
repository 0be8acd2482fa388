// SPDX-License-Identifier: BSD-3-Clause
// Reads a golden trace of tests/vectors without outgoing packets and cell contents, and prints it
// with those of the data-plane program. The switch admits the members' frames. If the trace has the
// key `separate`, each step is one pass: of the frame that comes, or of the frame that came in step
// `pass_of`.
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "tests/conformance/golden_trace_programs.hpp"
#include "tests/exploration/passing.hpp"

namespace ina {
namespace {

using exploration::Passing;
using golden_traces::Json;

template <class Program>
class Player {
 public:
  Player(const Json& golden_trace, wire::Format format, golden_traces::TraceSwitch& at,
         Program& program)
      : separates_(golden_trace.value("separate", false)),
        format_(format),
        at_(at),
        pool_(golden_trace.at("values_per_packet").get<std::size_t>()),
        program_(program) {}

  void play(Json& step) {
    now_ = std::chrono::microseconds(step.at("at_us"));
    step["out"] = nullptr;
    step["further_passes"] = {0, 0};
    step.contains("pass_of") ? go_on(step, step.at("pass_of").get<std::size_t>()) : come(step);
    ++number_;
    for (auto& [array, cells] : step.at("registers").items()) {
      for (auto& [index, cell] : cells.items()) {
        cell =
            golden_traces::cell_of(program_, array, static_cast<std::uint32_t>(std::stoul(index)));
      }
    }
  }

 private:
  void come(Json& step) {
    const auto ingress = step.at("ingress").get<HostId>();
    auto frame = wire::decode(format_, golden_traces::bytes_of(step.at("frame")), pool_);
    if (!frame || !at_.admit(*frame, ingress)) return;
    if (!program_.separates_passes()) return run_all_passes(step, *frame, ingress);
    Passing packet{std::move(*frame), {}};
    const rmt::Verdict verdict = at_.first_pass(packet.frame, packet.carry, ingress, now_);
    end_pass(step, number_, std::move(packet), verdict);
  }

  void run_all_passes(Json& step, Frame& frame, HostId ingress) {
    const rmt::Verdict verdict = at_.process(frame, ingress, now_);
    step["further_passes"] = {verdict.resubmits, verdict.recirculations};
    step["out"] = golden_traces::out_of(at_, format_, frame, verdict);
  }

  void go_on(Json& step, std::size_t number) {
    auto packet = waiting_.extract(number);
    if (packet.empty()) return;
    Passing& one = packet.mapped();
    const rmt::Verdict verdict = at_.next_pass(one.frame, one.carry, now_);
    end_pass(step, number, std::move(one), verdict);
  }

  /// With separate passes, the next pass is a step of its own.
  void end_pass(Json& step, std::size_t number, Passing packet, const rmt::Verdict& verdict) {
    if (!verdict.continues()) {
      step["out"] = golden_traces::out_of(at_, format_, packet.frame, verdict);
      return;
    }
    Json& passes = step["further_passes"];
    passes = {passes[0].get<int>() + verdict.resubmits,
              passes[1].get<int>() + verdict.recirculations};
    waiting_.emplace(number, std::move(packet));
    if (!separates_) go_on(step, number);
  }

  bool separates_;
  wire::Format format_;
  golden_traces::TraceSwitch& at_;
  ValuePool pool_;
  Program& program_;
  Time now_{};
  std::size_t number_ = 0;
  std::map<std::size_t, Passing> waiting_;  // by the number of the step in which the frame came
};

}  // namespace
}  // namespace ina

int main() {
  using namespace ina;
  Json golden_trace = Json::parse(std::cin);
  const Json open = golden_trace;
  const auto play = [&](wire::Format format, auto& at, auto& program) {
    Player player(open, format, at, program);
    for (Json& step : golden_trace.at("steps")) player.play(step);
  };
  // The guard of SwitchML with several passes refuses orders of passes that are impossible on a
  // chip.
  if (open.at("system") == "switchml") {
    golden_traces::with_program<rmt::Checked>(open, play);
  } else {
    golden_traces::with_program<rmt::CheckedSeparate>(open, play);
  }
  std::cout << golden_trace.dump() << '\n';
  return 0;
}
