// SPDX-License-Identifier: BSD-3-Clause
// Prints, as JSON, the bits of each register array of a data-plane program and the number of
// actions of its ALU, for a number of slot pairs or aggregators. Throws if the program does not fit
// Tofino 1.
#include <array>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hw/files/exit_status.hpp"
#include "switch-models/programs/declarations.hpp"
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
  using namespace ina;
  using Declare = rmt::Declaration (*)(std::size_t cells);
  static const std::map<std::string, Declare> kPrograms = {
      {"switchml", [](std::size_t slots) { return programs::declare_switchml(slots, 32); }},
      {"switchml64", [](std::size_t slots) { return programs::declare_switchml(slots, 64); }},
      {"atp", [](std::size_t aggregators) { return programs::declare_atp(aggregators); }},
      {"dsa", [](std::size_t aggregators) {
         return programs::declare_dsa(aggregators, policies::needs_of(policies::kDsaPolicy));
       }}};
  if (argc != 3 || !kPrograms.contains(argv[1])) {
    std::cerr << "print-registers switchml|switchml64|atp|dsa CELLS\n";
    return exit_status::kWrongInput;
  }
  const rmt::Declaration program = kPrograms.at(argv[1])(std::stoul(argv[2]));
  std::cout << nlohmann::json(arrays_of(program)).dump() << '\n';
  return 0;
}
