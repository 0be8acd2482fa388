// SPDX-License-Identifier: BSD-3-Clause
// Prints, as JSON, which frames a switch of the switch models admits. Reads a golden trace
// (tests/vectors/README.md) that has `frames`, each [ingress, bytes], instead of steps.
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/conformance/golden_trace_programs.hpp"

int main() {
  using namespace ina;
  const nlohmann::json asked = nlohmann::json::parse(std::cin);
  ValuePool pool(asked.at("values_per_packet").get<std::size_t>());
  auto answers = nlohmann::json::array();
  golden_traces::with_program(asked, [&](wire::Format format, auto& at, auto& /* program */) {
    for (const auto& arrival : asked.at("frames")) {
      const auto frame = wire::decode(format, golden_traces::bytes_of(arrival.at(1)), pool);
      answers.push_back(frame && at.admit(*frame, arrival.at(0).get<HostId>()));
    }
  });
  std::cout << answers.dump() << '\n';
  return 0;
}
