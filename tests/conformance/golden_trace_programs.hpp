// SPDX-License-Identifier: BSD-3-Clause
// The data-plane programs of golden traces (tests/vectors/README.md): their frames and register
// cells as golden traces tell them.
#pragma once

#include <boost/algorithm/hex.hpp>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/wire/codec.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"
#include "tests/exploration/archive.hpp"

namespace ina::golden_traces {

using Json = nlohmann::json;

inline constexpr std::uint32_t kAggregators = 16;

inline std::vector<std::byte> bytes_of(const std::string& digits) {
  std::vector<unsigned char> bytes;
  boost::algorithm::unhex(digits, std::back_inserter(bytes));
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

inline std::string digits_of(wire::Protocol protocol, const Frame& frame) {
  std::vector<std::byte> bytes(frame.bytes);
  wire::encode(protocol, frame, bytes);
  const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
  std::string digits;
  boost::algorithm::hex_lower(first, first + bytes.size(), std::back_inserter(digits));
  return digits;
}

/// The hosts that a frame goes to, by how the program lets it go.
inline Json hosts_of(const Json& golden_trace, const Frame& frame, const rmt::Verdict& verdict) {
  if (verdict.exit != rmt::Verdict::Exit::multicast) return {frame.destination};
  return golden_trace.at("jobs").at(std::to_string(frame.job)).at("workers");
}

/// What leaves, as a golden trace's `out` has it; null: nothing.
inline Json out_of(const Json& golden_trace, wire::Protocol protocol, const Frame& frame,
                   const rmt::Verdict& verdict) {
  if (verdict.exit == rmt::Verdict::Exit::drop) return nullptr;
  return {{"hosts", hosts_of(golden_trace, frame, verdict)}, {"frame", digits_of(protocol, frame)}};
}

template <class Cell>
Json json_of(const Cell& cell) {
  return cell;
}
inline Json json_of(const Time& time) { return time.count(); }
inline Json json_of(const programs::TaskId& task) {
  return task.valid ? Json{task.job, task.psn} : Json("free");
}

template <class Array>
Json cell_of(const Array& array, std::uint32_t index) {
  return json_of(array.peek(index));
}
template <class Mode>
Json cell_of(rmt::ValueRegisters<Mode>& values, std::uint32_t row) {
  using exploration::member;
  const std::int32_t* const first = member<"rows_">(values) + row * member<"stride_">(values);
  return std::vector<std::int32_t>(first, first + values.width());
}

/// A cell of the array of a program that has this name without the underscore.
template <class Program>
Json cell_of(Program& program, const std::string& array, std::uint32_t index) {
  Json cell;
  boost::mp11::mp_for_each<exploration::Members<Program>>([&](auto descriptor) {
    if (array + "_" == descriptor.name) cell = cell_of(program.*descriptor.pointer, index);
  });
  return cell;
}

template <class Program>
void install_jobs(Program& program, const Json& golden_trace) {
  for (const auto& [id, job] : golden_trace.at("jobs").items()) {
    program.install_job(
        static_cast<JobId>(std::stoul(id)),
        {static_cast<std::uint16_t>(job.at("workers").size()), job.value("server", HostId{0}),
         job.value("first_slot", 0U), job.value("slots", 0U)});
  }
}

/// Calls `use(protocol, program)` with the golden trace's program, whose jobs are installed.
template <class Use>
void with_program(const Json& golden_trace, Use use) {
  using rmt::Checked;
  const std::size_t width = golden_trace.at("values_per_packet");
  const auto installed = [&](wire::Protocol protocol, auto program) {
    install_jobs(program, golden_trace);
    use(protocol, program);
  };
  const std::string system = golden_trace.at("system");
  if (system == "switchml") {
    installed(wire::Protocol::switchml, programs::SwitchmlProgram<Checked>(kAggregators, width));
  } else if (system == "atp") {
    installed(wire::Protocol::atp, programs::AtpProgram<Checked>({kAggregators, width}));
  } else if (system == "dsa") {
    using Program = programs::DsaProgram<policies::Priority, Checked>;
    installed(wire::Protocol::dsa, Program(kAggregators, width, {}));
  } else {
    throw std::invalid_argument("no system " + system);
  }
}

}  // namespace ina::golden_traces
