// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "tests/exploration/world.hpp"
#include "tests/support/control_mistakes.hpp"

namespace ina::exploration {

/// The protocol with one mistake in the switch, the server, a worker's transport, its training loop
/// or the control plane. The explorer has to find it.
struct Mutant {
  std::string_view name;
  std::string_view configuration;  ///< configuration in which it has to be found
  std::string_view failure;        ///< part of the message of the finding
  /// Changes a frame or the registers before the program handles the frame. Returns whether the
  /// frame is dropped.
  bool (*before)(Frame& frame, programs::SwitchProgram& program);
  /// Changes a frame that the program has processed, or its verdict.
  void (*after)(const Frame& came, Frame& frame, rmt::Verdict& verdict);
  /// A worker forgets everything before a complete tensor, even if others lack its results.
  bool forgets_tensors = false;
  /// The training loop regards a tensor as complete as soon as its first fragment arrives.
  bool completes_early = false;
  /// Changes a frame before the server handles it.
  void (*at_server)(Frame& frame, ParameterServer& server) = [](Frame&, ParameterServer&) {};
  /// Delivers a frame to a worker.
  void (*at_worker)(WorkerTransport& worker, const Frame& frame, Time now) =
      [](WorkerTransport& worker, const Frame& frame, Time now) { worker.receive(frame, now); };
  testing::MakeControlMistake make_control_mistake = nullptr;
  /// The control plane keeps the jobs of a rebooted switch, even if the system loses them.
  bool jobs_survive_reboots = false;
  /// Changes the registers after the program has sent a frame.
  void (*afterwards)(const Frame& came, const Frame& frame, programs::SwitchProgram& program) =
      [](const Frame&, const Frame&, programs::SwitchProgram&) {};
  /// A worker sends all fragments to the first server of its job.
  bool knows_the_first_server_only = false;
};

std::span<const Mutant> mutants();
/// Throws std::invalid_argument, with the names of all mutants, if there is none of that name.
const Mutant& mutant_of_name(std::string_view name);
/// `program` with the mistake. The mutant must belong to the program's system.
std::unique_ptr<programs::SwitchProgram> make_mutant_program(
    const Mutant& mutant, std::unique_ptr<programs::SwitchProgram> program);
MakeSystem make_mutant(const Mutant& mutant);

}  // namespace ina::exploration
