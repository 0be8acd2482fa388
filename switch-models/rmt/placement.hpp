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

/// The stages of a register array, or of several arrays that the program uses as one.
struct StageSpan {
  unsigned first = 0;
  unsigned last = 0;
  std::uint64_t passes = ~std::uint64_t{0};  ///< bit mask of the declared passes that access the
                                             ///< array

  friend bool operator==(const StageSpan&, const StageSpan&) = default;
};

/// The placement of a program in a pipe. Every array and table is in the first stage that has room
/// for it and comes after everything that it needs in any pass.
class Placement {
 public:
  struct Stage {
    StageUse use;
    std::vector<std::string> names;  ///< of arrays and tables; a name occurs once per array of that
                                     ///< name
  };

  /// Throws DoesNotFit if the program does not fit the chip.
  Placement(const Declaration& program, const Chip& chip);

  const std::vector<Stage>& stages() const { return stages_; }
  /// Stages of an array and its parts. The name of a part is the array's name with a suffix:
  /// "task.psn" is a part of "task". For an unknown array, returns a span that no pass accesses.
  StageSpan span(std::string_view array) const;

 private:
  std::vector<Stage> stages_;
  std::vector<PassDeclaration> passes_;
};

/// Upper limit of the search in most_cells(), beyond any chip.
inline constexpr std::size_t kMostCells = std::size_t{1} << 32;

/// The largest number of cells for which `declare(cells)` fits the chip, up to kMostCells; 0 if
/// none fits.
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
