// SPDX-License-Identifier: BSD-3-Clause
// Reads a golden trace of tests/vectors without outgoing packets and cell contents, and prints it
// with those of the data-plane program.
#include <iostream>
#include <string>
#include <utility>

#include "tests/conformance/golden_trace_player.hpp"

int main() {
  using namespace ina;
  using golden_traces::Json;
  Json golden_trace = Json::parse(std::cin);
  const Json open = golden_trace;
  const auto play = [&](wire::Format format, auto& at, auto& program) {
    golden_traces::Player player(open, format, at, program);
    for (Json& step : golden_trace.at("steps")) {
      golden_traces::Outcome outcome = player.play(step);
      step["out"] = std::move(outcome.out);
      step["further_passes"] = std::move(outcome.further_passes);
      for (auto& [array, cells] : step.at("registers").items()) {
        for (auto& [index, cell] : cells.items()) {
          const auto place = static_cast<std::uint32_t>(std::stoul(index));
          cell = golden_traces::cell_of(program, array, place);
        }
      }
    }
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
