// SPDX-License-Identifier: BSD-3-Clause
// Reads a golden trace of tests/vectors without outgoing packets and cell contents, and prints it
// with those of the data-plane program. The switch admits the members' frames.
#include <iostream>
#include <string>

#include "tests/conformance/golden_trace_programs.hpp"

namespace ina {
namespace {

using golden_traces::Json;

template <class Program>
class Player {
 public:
  Player(const Json& golden_trace, wire::Format format, golden_traces::TraceSwitch& at,
         Program& program)
      : format_(format),
        at_(at),
        pool_(golden_trace.at("values_per_packet").get<std::size_t>()),
        program_(program) {}

  void play(Json& step) {
    rmt::Verdict verdict = rmt::kDrop;
    step["out"] = leaving(step, verdict);
    step["further_passes"] = {verdict.resubmits, verdict.recirculations};
    for (auto& [array, cells] : step.at("registers").items()) {
      for (auto& [index, cell] : cells.items()) {
        cell =
            golden_traces::cell_of(program_, array, static_cast<std::uint32_t>(std::stoul(index)));
      }
    }
  }

 private:
  Json leaving(const Json& step, rmt::Verdict& verdict) {
    auto frame = wire::decode(format_, golden_traces::bytes_of(step.at("frame")), pool_);
    if (!frame || !at_.admit(*frame, step.at("ingress").get<HostId>())) return nullptr;
    verdict = at_.process(*frame, step.at("ingress").get<HostId>(),
                          std::chrono::microseconds(step.at("at_us")));
    return golden_traces::out_of(at_, format_, *frame, verdict);
  }

  wire::Format format_;
  golden_traces::TraceSwitch& at_;
  ValuePool pool_;
  Program& program_;
};

}  // namespace
}  // namespace ina

int main() {
  using namespace ina;
  Json golden_trace = Json::parse(std::cin);
  const Json open = golden_trace;
  golden_traces::with_program(open, [&](wire::Format format, auto& at, auto& program) {
    Player player(open, format, at, program);
    for (Json& step : golden_trace.at("steps")) player.play(step);
  });
  std::cout << golden_trace.dump() << '\n';
  return 0;
}
