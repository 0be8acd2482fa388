// SPDX-License-Identifier: BSD-3-Clause
// Parts of the switch programs' state in which some bits do not matter.
#pragma once

#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"
#include "tests/exploration/archive.hpp"
#include "tests/exploration/passing.hpp"

namespace ina::exploration {

/// Content of free aggregators after a state is read back. A program that relies on their content
/// fails.
inline constexpr std::uint8_t kPoison = 0x5d;

inline void visit(Archive& archive, programs::SecondHalf& half) {
  archive.number(half.generation);
  archive.bitmap(half.bitmap);
}

/// Visits a cell. Some arrays are empty in some modes.
template <class Cell, class Mode>
void visit_cell(Archive& archive, rmt::RegisterArray<Cell, Mode>& array, std::size_t index) {
  if (index < array.size()) visit(archive, member<"cells_">(array)[index]);
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
  if (index >= array.size()) return;
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

template <class Array>
auto& cell_of(Array& array, std::size_t index) {
  return member<"cells_">(array)[index];
}

template <class Mode>
void set_values(rmt::ValueRegisters<Mode>& rows, std::size_t index, programs::ValueRange range,
                std::int32_t value) {
  std::int32_t* const row = member<"rows_">(rows) + index * member<"stride_">(rows);
  std::fill_n(row + range.begin, range.count, value);
}

/// Content that every renaming of workers maps to itself.
inline constexpr std::uint32_t kPoisonedBitmap = ~0U;
inline constexpr std::int32_t kPoisonedValue = 0x5d5d5d5d;

/// Clears the row of a free aggregator to which no packet will return.
template <class Program>
void clear_row(Program& program, std::size_t i) {
  boost::mp11::mp_for_each<Members<Program>>([&](auto descriptor) {
    constexpr std::string_view kName = descriptor.name;
    auto& array = program.*descriptor.pointer;
    if constexpr (kName == "values_") {
      set_values(array, i, {0, array.width()}, kPoisonedValue);
    } else if (i < array.size()) {
      using Cell = std::remove_reference_t<decltype(cell_of(array, i))>;
      cell_of(array, i) = Cell{};
      if constexpr (kName == "bitmap_") cell_of(array, i) = kPoisonedBitmap;
    }
  });
}

/// Number of each aggregator's current generation in states. The one before must not be 0.
inline constexpr std::uint16_t kPresentGeneration = 0x100;

/// With separate passes: renumbers the generations relative to the current one, and clears what no
/// packet can read any more. `passing`: frames between two passes.
template <class Program>
void forget_unreadable(Program& program, PassingFrames& passing) {
  auto& task = member<"task_">(program);
  auto& generations = member<"generation_">(program);
  for (std::size_t i = 0; i < generations.size(); ++i) {
    const std::uint16_t present = std::exchange(cell_of(generations, i), kPresentGeneration);
    const auto recount = [&](std::uint16_t& generation) {
      generation = static_cast<std::uint16_t>(generation - present + kPresentGeneration);
    };
    programs::SecondHalf& half = cell_of(member<"second_half_">(program), i);
    recount(half.generation);
    bool awaits = false;
    for (auto& path : passing) {
      for (Passing& one : path) {
        if (one.frame.aggregator().index != i) continue;
        awaits = true;
        // Without contributors, the packet has read no generation yet.
        if (one.carry.contributors != 0) recount(one.carry.generation);
      }
    }
    if (awaits) continue;
    if (!cell_of(task, i).valid) {
      clear_row(program, i);
    } else if (half.generation != kPresentGeneration) {
      half = {kPresentGeneration - 1, kPoisonedBitmap};
      auto& values = member<"values_">(program);
      set_values(values, i, programs::second_values<rmt::Separate>(values.width()), kPoisonedValue);
    }
  }
}

/// Visits the aggregators of ATP and DSA. Each is a row of registers. The first register says
/// whether the row is in use. With separate passes, forget_unreadable() has cleared what does not
/// matter.
template <class Program>
void visit_aggregators(Archive& archive, Program& program) {
  auto& task = member<"task_">(program);
  const bool separates = program.separates_passes();
  for (std::size_t i = 0; i < task.size(); ++i) {
    bool& in_use = member<"cells_">(task)[i].valid;
    archive.number(in_use);
    const bool valid = in_use || separates;
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
    // With separate passes, each part has a counter.
    if (i < exponents.size()) visit_cell(archive, values, i);
  }
}

}  // namespace ina::exploration
