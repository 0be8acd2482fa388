// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <utility>

#include "hw/protocol/wire/frame.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/value_passes.hpp"
#include "switch-models/report/report.hpp"

namespace ina::report {
namespace {

using Exit = rmt::Verdict::Exit;

/// ATP and DSA: two passes, or one if the chip holds all values of a packet in one.
System of_fragments(wire::Protocol protocol, std::string name) {
  const std::uint16_t bytes = frame_bytes(protocol, wire::kFragmentValues);
  return {.name = std::move(name),
          .declare = {},
          .aggregator_bytes = sizeof(std::int32_t) * wire::kFragmentValues,
          .values = wire::kFragmentValues,
          .frame_bytes = bytes,
          .absorbed = {"is absorbed", programs::kAbsorbed},
          .completing = {"completes a task", programs::with_sums(Exit::forward, bytes)},
          .others = {{"falls back", rmt::kForward}}};
}

}  // namespace

System switchml(std::size_t values, bool collects_marks) {
  const std::uint16_t bytes = frame_bytes(wire::Protocol::switchml, values);
  return {.name = "switchml",
          .declare =
              [=](std::size_t n) { return programs::declare_switchml(n, values, collects_marks); },
          .aggregator_bytes = 2 * sizeof(std::int32_t) * values,
          .values = values,
          .frame_bytes = bytes,
          .absorbed = {"is absorbed", programs::switchml_absorbed(bytes)},
          .completing = {"completes a task", programs::switchml_answer(Exit::multicast, bytes)},
          .others = {}};
}

System atp() {
  System system = of_fragments(wire::Protocol::atp, "atp");
  system.declare = [](std::size_t aggregators) { return programs::declare_atp(aggregators); };
  return system;
}

System dsa(policies::CollisionPolicy policy, programs::JoinPriority join) {
  System system =
      of_fragments(wire::Protocol::dsa, "dsa, policy " + std::string(policies::name_of(policy)));
  system.declare = [needs = policies::needs_of(policy), join](std::size_t aggregators) {
    return programs::declare_dsa(aggregators, needs, join);
  };
  system.others.push_back({"preempts", programs::swapped(system.frame_bytes)});
  return system;
}

PassLoad load_of(const System& system, unsigned workers, const rmt::Chip& chip) {
  constexpr double kPortBytesPerSecond = 100e9 / 8;
  const rmt::Verdict& some = system.absorbed.verdict;
  const rmt::Verdict& last = system.completing.verdict;
  const auto mean = [&](auto one, auto other) { return ((workers - 1.0) * one + other) / workers; };
  const double passes =
      1 + mean(some.resubmits + some.recirculations, last.resubmits + last.recirculations);
  const double packets_per_second = chip.ports * kPortBytesPerSecond / system.frame_bytes;
  const double recirculated =
      mean(some.recirculated_bytes, last.recirculated_bytes) / system.frame_bytes;
  const double own_ports = chip.pipes * chip.recirculation_gbps / 100.0;
  return {
      .passes_per_packet = passes,
      .pipeline_share = passes * packets_per_second / chip.packets_per_second,
      .resubmitted_share = mean(some.resubmits, last.resubmits),
      .recirculated_share = recirculated,
      .ports_left = std::min<double>(chip.ports, (chip.ports + own_ports) / (1 + recirculated))};
}

}  // namespace ina::report
