// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "switch-models/rmt/declaration_check.hpp"
#include "switch-models/rmt/stage_use.hpp"

namespace ina::rmt {

/// The stages between which a register array stands, or several that act as one.
struct StageSpan {
  unsigned first = 0;
  unsigned last = 0;
  std::uint64_t passes = ~std::uint64_t{0};  ///< a bit for each declared one that touches the array

  friend bool operator==(const StageSpan&, const StageSpan&) = default;
};

/// Where a program stands in a pipe: everything in the first stage that has room for it behind all
/// that it needs in any pass.
class Placement {
 public:
  struct Stage {
    StageUse use;
    std::vector<std::string> names;  ///< of arrays and tables, one for each of those alike
  };

  /// Throws DoesNotFit.
  Placement(const Declaration& program, const Chip& chip);

  const std::vector<Stage>& stages() const { return stages_; }
  /// Of an array with its parts, whose names are its own and a suffix: "task", "task.psn";
  /// of one that the program does not have, one that no pass touches.
  StageSpan span(std::string_view array) const;

 private:
  std::vector<Stage> stages_;
  std::vector<PassDeclaration> passes_;
};

/// No register array of a chip holds more.
inline constexpr std::size_t kMostCells = std::size_t{1} << 32;

/// The most cells for which `declare(cells)` fits the chip, up to kMostCells; 0 if none do.
template <class Declare>
std::size_t most_cells(const Declare& declare, const Chip& chip) {
  const auto fits = [&](std::size_t cells) {
    try {
      const Placement placement(declare(cells), chip);
      return true;
    } catch (const DoesNotFit&) {
      return false;
    }
  };
  std::size_t most = 0;
  std::size_t step = 1;
  while (step < kMostCells && fits(step)) step *= 2;
  for (; step > 0; step /= 2) {
    if (most + step <= kMostCells && fits(most + step)) most += step;
  }
  return most;
}

}  // namespace ina::rmt
