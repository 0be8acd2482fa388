// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/rmt/declaration_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "switch-models/rmt/stage_use.hpp"

namespace ina::rmt {
namespace {

template <class... Arguments>
void require(bool holds, fmt::format_string<Arguments...> what, Arguments&&... arguments) {
  if (!holds) throw DoesNotFit(fmt::format(what, std::forward<Arguments>(arguments)...));
}

void check_array(const RegisterDeclaration& array, const Chip& chip) {
  static constexpr unsigned kWidths[] = {8, 16, 32, 64};
  require(std::ranges::find(kWidths, array.bits) != std::end(kWidths),
          "register array {} has cells of {} bits; allowed: 8, 16, 32, and 64 as a pair of 32",
          array.name, array.bits);
  const unsigned blocks = data_blocks(array);
  require(blocks <= chip.register_blocks,
          "register array {} takes {} blocks of SRAM; {} has at most {} for one array", array.name,
          blocks, chip.name, chip.register_blocks);
  require(array.actions <= chip.actions,
          "register array {} takes {} actions; a stateful ALU of {} has at most {}", array.name,
          array.actions, chip.name, chip.actions);
}

void check_action(const PassDeclaration& pass, const Step& step, const Chip& chip) {
  require(step.comparisons <= chip.comparisons,
          "pass {}: the action on {} makes {} comparisons; a stateful ALU of {} makes at most {}",
          pass.name, step.of, step.comparisons, chip.name, chip.comparisons);
  require(step.outputs <= chip.outputs,
          "pass {}: the action on {} gives back {} words; a stateful ALU of {} gives at most {}",
          pass.name, step.of, step.outputs, chip.name, chip.outputs);
}

bool declared(const Declaration& program, const std::string& name) {
  return std::ranges::find(program.registers, name, &RegisterDeclaration::name) !=
             program.registers.end() ||
         std::ranges::find(program.tables, name, &TableDeclaration::name) != program.tables.end();
}

void check_needs(const PassDeclaration& pass, std::vector<Step>::const_iterator step) {
  const auto position = [&](const std::string& name) {
    const auto found = std::ranges::find(pass.steps, name, &Step::of);
    require(found != pass.steps.end(), "pass {}: {} needs {}, which the pass does not touch",
            pass.name, step->of, name);
    return found;
  };
  for (const std::string& name : step->needs) {
    require(position(name) < step, "pass {}: {} needs the state of {}, which comes later",
            pass.name, step->of, name);
  }
  if (step->index_from.empty()) return;
  require(position(step->index_from) < step,
          "pass {}: the index of {} depends on {}, which is read later", pass.name, step->of,
          step->index_from);
}

void check_pass(const Declaration& program, const PassDeclaration& pass, const Chip& chip) {
  require(pass.resubmitted_bits <= chip.resubmit_bits,
          "pass {} gets {} bits with the resubmitted packet; {} passes on at most {}", pass.name,
          pass.resubmitted_bits, chip.name, chip.resubmit_bits);
  for (auto step = pass.steps.begin(); step != pass.steps.end(); ++step) {
    require(declared(program, step->of), "pass {}: {} is not declared", pass.name, step->of);
    require(std::ranges::find(pass.steps, step->of, &Step::of) == step,
            "pass {}: {} is touched twice", pass.name, step->of);
    check_action(pass, *step, chip);
    check_needs(pass, step);
  }
}

}  // namespace

void check(const Declaration& program, const Chip& chip) {
  require(program.phv_bits <= chip.phv_bits,
          "headers and metadata take {} bits of a packet's header vector; {} has {}",
          program.phv_bits, chip.name, chip.phv_bits);
  require(program.multicast_groups <= chip.multicast_groups, "{} multicast groups; {} has {}",
          program.multicast_groups, chip.name, chip.multicast_groups);
  require(program.mirror_sessions <= chip.mirror_sessions, "{} mirror sessions; {} has {}",
          program.mirror_sessions, chip.name, chip.mirror_sessions);
  for (const RegisterDeclaration& array : program.registers) check_array(array, chip);
  for (const PassDeclaration& pass : program.passes) check_pass(program, pass, chip);
}

}  // namespace ina::rmt
