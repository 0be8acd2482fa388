// SPDX-License-Identifier: BSD-3-Clause
// The data-plane programs of golden traces (tests/vectors/README.md), with their frames and
// register cells in the form of golden traces.
#pragma once

#include <boost/algorithm/hex.hpp>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
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
#include "tests/conformance/golden_trace_switch.hpp"
#include "tests/exploration/archive.hpp"

namespace ina::golden_traces {

inline constexpr std::uint32_t kAggregators = 16;

inline std::vector<std::byte> bytes_of(const std::string& digits) {
  std::vector<unsigned char> bytes;
  boost::algorithm::unhex(digits, std::back_inserter(bytes));
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

inline std::string digits_of(wire::Format format, const Frame& frame) {
  std::vector<std::byte> bytes(frame.bytes);
  wire::encode(format, frame, bytes);
  const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
  std::string digits;
  boost::algorithm::hex_lower(first, first + bytes.size(), std::back_inserter(digits));
  return digits;
}

/// The outgoing frame in the form of a golden trace's `out`; null if nothing leaves.
inline Json out_of(TraceSwitch& at, wire::Format format, const Frame& frame,
                   const rmt::Verdict& verdict) {
  if (verdict.exit == rmt::Verdict::Exit::drop) return nullptr;
  const std::vector<HostId> hosts = at.egress(frame, verdict.exit);
  if (hosts.empty()) return nullptr;
  return {{"hosts", hosts}, {"frame", digits_of(format, frame)}};
}

template <class Cell>
Json json_of(const Cell& cell) {
  return cell;
}
inline Json json_of(const Time& time) { return time.count(); }
inline Json json_of(const programs::TaskId& task) {
  return task.valid ? Json{task.job, task.psn} : Json("free");
}
inline Json json_of(const programs::SecondHalf& half) { return {half.generation, half.bitmap}; }

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

/// A cell of the program's array. `array`: the array's name without the trailing underscore.
template <class Program>
Json cell_of(Program& program, const std::string& array, std::uint32_t index) {
  Json cell;
  boost::mp11::mp_for_each<exploration::Members<Program>>([&](auto descriptor) {
    if (array + "_" == descriptor.name) cell = cell_of(program.*descriptor.pointer, index);
  });
  return cell;
}

/// Calls `use(format, switch, program)` with the golden trace's switch and its program.
template <class Mode = rmt::Checked, class Use>
void with_program(const Json& golden_trace, Use use) {
  const std::size_t width = golden_trace.at("values_per_packet");
  const auto installed = [&](wire::Format format, auto program) {
    auto& of_kind = *program;
    TraceSwitch at(golden_trace, std::move(program));
    use(format, at, of_kind);
  };
  const std::string system = golden_trace.at("system");
  if (system == "switchml") {
    using Program = programs::SwitchmlProgram<Mode>;
    installed(wire::Format::switchml, std::make_unique<Program>(kAggregators, width));
  } else if (system == "atp") {
    using Program = programs::AtpProgram<Mode>;
    installed(wire::Format::atp,
              std::make_unique<Program>(programs::AtpConfig{kAggregators, width}));
  } else if (system == "dsa") {
    using Program = programs::DsaProgram<policies::Priority, Mode>;
    installed(wire::Format::dsa,
              std::make_unique<Program>(kAggregators, width, policies::Priority{}));
  } else {
    throw std::invalid_argument("no system " + system);
  }
}

}  // namespace ina::golden_traces
