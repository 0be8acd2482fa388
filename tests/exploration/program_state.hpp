// SPDX-License-Identifier: BSD-3-Clause
// Parts of the switch programs' state in which some bits do not matter.
#pragma once

#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"
#include "tests/exploration/archive.hpp"

namespace ina::exploration {

/// Content of free aggregators after a state is read back. Programs must not rely on the content of
/// free aggregators; one that does fails.
inline constexpr std::uint8_t kPoison = 0x5d;

template <class Cell, class Mode>
void visit_cell(Archive& archive, rmt::RegisterArray<Cell, Mode>& array, std::size_t index) {
  visit(archive, member<"cells_">(array)[index]);
}

/// Visits a time stamp. The array is empty if the program stamps nothing.
template <class Mode>
void visit_cell(Archive& archive, rmt::RegisterArray<Time, Mode>& stamps, std::size_t index) {
  if (index < stamps.size()) {
    archive.age(member<"cells_">(stamps)[index], programs::kAggregatorExpiry);
  }
}

template <class Mode>
void visit_cell(Archive& archive, rmt::ValueRegisters<Mode>& rows, std::size_t index) {
  for (std::size_t i = 0; i < rows.width(); ++i) {
    archive.sum(member<"rows_">(rows)[index * member<"stride_">(rows) + i]);
  }
}

template <class Cell, class Mode>
void poison_cell(rmt::RegisterArray<Cell, Mode>& array, std::size_t index) {
  Cell& cell = member<"cells_">(array)[index];
  if constexpr (std::is_arithmetic_v<Cell>) cell = static_cast<Cell>(kPoison);
}

template <class Mode>
void poison_cell(rmt::RegisterArray<Time, Mode>&, std::size_t) {}

template <class Mode>
void poison_cell(rmt::ValueRegisters<Mode>& rows, std::size_t index) {
  for (std::size_t i = 0; i < rows.width(); ++i) {
    member<"rows_">(rows)[index * member<"stride_">(rows) + i] = kPoison;
  }
}

/// Visits the aggregators of ATP and DSA. Each is a row of registers, the first of which contains
/// whether the row is in use.
template <class Program>
void visit_aggregators(Archive& archive, Program& program) {
  auto& task = member<"task_">(program);
  for (std::size_t i = 0; i < task.size(); ++i) {
    bool& valid = member<"cells_">(task)[i].valid;
    archive.number(valid);
    boost::mp11::mp_for_each<Members<Program>>([&](auto descriptor) {
      auto& array = program.*descriptor.pointer;
      if constexpr (std::string_view(descriptor.name) == "bitmap_") {
        if (valid) return archive.bitmap(member<"cells_">(array)[i]);
      }
      if (valid) {
        visit_cell(archive, array, i);
      } else if (archive.reading()) {
        poison_cell(array, i);
      }
    });
  }
}

template <class Mode>
void visit(Archive& archive, programs::AtpProgram<Mode>& program) {
  visit_aggregators(archive, program);
}

template <class Policy, class Mode>
void visit(Archive& archive, programs::DsaProgram<Policy, Mode>& program) {
  visit_aggregators(archive, program);
}

/// Every register matters, because the version of a slot that is not in use is the shadow copy.
template <class Mode>
void visit(Archive& archive, programs::SwitchmlProgram<Mode>& program) {
  auto& latest = member<"latest_">(program);
  auto& seen = member<"seen_">(program);
  auto& exponents = member<"exponents_">(program);
  auto& count = member<"count_">(program);
  auto& values = member<"values_">(program);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    visit_cell(archive, latest, i);
    for (std::uint32_t& bitmap : member<"cells_">(seen)[i]) archive.bitmap(bitmap);
  }
  for (std::size_t i = 0; i < count.size(); ++i) {
    visit_cell(archive, exponents, i);
    visit_cell(archive, count, i);
    visit_cell(archive, values, i);
  }
}

}  // namespace ina::exploration
