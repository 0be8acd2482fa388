// SPDX-License-Identifier: BSD-3-Clause
// Prints the bits of each register array of the data-plane programs and how many actions its ALU
// has, as JSON, for numbers of slots and aggregators. Throws if a program with so many does not fit
// Tofino 1.
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/placement.hpp"

namespace ina {
namespace {

std::vector<std::array<std::size_t, 2>> arrays_of(const rmt::Declaration& program) {
  const rmt::Placement placed(program, rmt::kTofino1);
  std::vector<std::array<std::size_t, 2>> arrays;
  for (const rmt::RegisterDeclaration& array : program.registers) {
    arrays.insert(arrays.end(), array.count, {array.bits * array.cells, array.actions});
  }
  return arrays;
}

}  // namespace
}  // namespace ina

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "print-registers SLOTS AGGREGATORS\n";
    return 2;
  }
  using namespace ina;
  const std::size_t slots = std::stoul(argv[1]);
  const std::size_t aggregators = std::stoul(argv[2]);
  const nlohmann::ordered_json programs = {
      {"switchml", arrays_of(programs::declare_switchml(slots, wire::kSwitchmlValues[0]))},
      {"atp", arrays_of(programs::declare_atp(aggregators))},
      {"dsa", arrays_of(programs::declare_dsa(aggregators,
                                              programs::DsaProgram<policies::Priority>::kNeeds))}};
  std::cout << programs.dump() << '\n';
  return 0;
}
