// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/values.hpp"
#include "switch-models/rmt/pass.hpp"

namespace ina::rmt {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class Cell>
using Cells = std::unique_ptr<Cell[], Free>;

/// Cells whose bytes are 0, which must be the initial value of a Cell. The operating system
/// provides each page on its first use: a short run of a sweep does not pay for the whole memory of
/// a switch.
template <class Cell>
Cells<Cell> zeroed_cells(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<Cell> && std::is_trivially_destructible_v<Cell>);
  auto* cells = static_cast<Cell*>(std::calloc(count, sizeof(Cell)));
  if (cells == nullptr && count != 0) throw std::bad_alloc();
  return Cells<Cell>(cells);
}

/// Stateful memory: cells that a packet may read, modify and write in one action per pass.
template <class Cell, class Mode>
class RegisterArray {
 public:
  RegisterArray(StageSpan stages, const char* name, std::size_t cells)
      : stages_(stages), name_(name), size_(cells), cells_(zeroed_cells<Cell>(cells)) {}

  /// Runs the action on one cell and returns the action's result.
  template <class Action>
  auto execute(Pass<Mode>& pass, std::uint32_t index, Action&& action) {
    pass.touch(stages_, name_);
    return action(cells_[index]);
  }

  void fetch(std::uint32_t index) const { fetch_line_to_write(&cells_[index]); }

  /// For the control plane and tests, not for packets.
  const Cell& peek(std::uint32_t index) const { return cells_[index]; }
  void write(std::uint32_t index, const Cell& cell) { cells_[index] = cell; }
  /// Calls visit(index, cell) for every cell.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < size_; ++i) visit(static_cast<std::uint32_t>(i), cells_[i]);
  }
  std::size_t size() const { return size_; }

 private:
  BOOST_DESCRIBE_CLASS(RegisterArray, (), (), (), (size_, cells_))

  StageSpan stages_;
  const char* name_;
  std::size_t size_;
  Cells<Cell> cells_;
};

/// The value registers of a program, with a row of `width` int32 per aggregator. If one pass cannot
/// process a whole row, further passes process only the rest. These passes are not simulated
/// separately: the program declares them, and its verdicts count them.
template <class Mode>
class ValueRegisters {
 public:
  ValueRegisters(StageSpan stages, std::size_t rows, std::size_t width)
      : stages_(stages),
        width_(width),
        stride_((width + kLineValues - 1) / kLineValues * kLineValues),
        values_(zeroed_cells<std::int32_t>(rows * stride_ + kLineValues)) {
    void* start = values_.get();
    std::size_t room = (rows * stride_ + kLineValues) * sizeof(std::int32_t);
    rows_ = static_cast<std::int32_t*>(std::align(kCacheLineBytes, kCacheLineBytes, start, room));
  }

  std::size_t width() const { return width_; }
  void fetch(std::uint32_t index) const { fetch_values(rows_ + index * stride_, width_); }

  /// Runs the action with a pointer to the width() values of row `index`.
  template <class Action>
  auto execute(Pass<Mode>& pass, std::uint32_t index, Action&& action) {
    pass.touch(stages_, "values");
    return action(rows_ + index * stride_);
  }

 private:
  BOOST_DESCRIBE_CLASS(ValueRegisters, (), (), (), (width_, stride_, rows_))

  StageSpan stages_;
  std::size_t width_;
  std::size_t stride_;
  Cells<std::int32_t> values_;
  std::int32_t* rows_ = nullptr;
};

}  // namespace ina::rmt
