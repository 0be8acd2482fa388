// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "tests/exploration/world.hpp"
#include "tests/support/control_mistakes.hpp"

namespace ina::exploration {

/// The protocol with one mistake, in the switch, in the server, in a worker's transport, in its
/// training loop or in the control plane, which the explorer has to find.
struct Mutant {
  std::string_view name;
  std::string_view configuration;  ///< in which it has to be found
  std::string_view failure;        ///< what is found: a part of the message
  /// What the mistake does to a packet, or to the registers, before the program gets it; true: the
  /// packet is dropped.
  bool (*before)(Frame& frame, programs::SwitchProgram& program);
  /// What it does to a packet that the program let out.
  void (*after)(const Frame& came, Frame& frame, rmt::Verdict& verdict);
  /// A worker forgets what came before a tensor that is complete, whoever lacks the results.
  bool forgets_tensors = false;
  /// The training loop takes a tensor for complete when it has its first fragment.
  bool completes_early = false;
  /// What the mistake does to a frame before the server gets it.
  void (*at_server)(Frame& frame, ParameterServer& server) = [](Frame&, ParameterServer&) {};
  /// A worker takes a frame.
  void (*at_worker)(WorkerTransport& worker, const Frame& frame, Time now) =
      [](WorkerTransport& worker, const Frame& frame, Time now) { worker.receive(frame, now); };
  testing::MakeControlMistake make_control_mistake = nullptr;
  /// A switch that rebooted gets the jobs again as they are, whatever the system.
  bool jobs_survive_reboots = false;
  /// What it does to the registers when the program has let a packet out.
  void (*afterwards)(const Frame& came, const Frame& frame, programs::SwitchProgram& program) =
      [](const Frame&, const Frame&, programs::SwitchProgram&) {};
  /// A worker takes the first server of its job for that of all fragments.
  bool knows_the_first_server_only = false;
};

std::span<const Mutant> mutants();
/// Throws std::invalid_argument, which names all mutants, if there is none of that name.
const Mutant& mutant_of_name(std::string_view name);
/// `program`, which the mutant must be made for, with the mistake.
std::unique_ptr<programs::SwitchProgram> make_mutant_program(
    const Mutant& mutant, std::unique_ptr<programs::SwitchProgram> program);
MakeSystem make_mutant(const Mutant& mutant);

}  // namespace ina::exploration
