// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ina::rmt {

/// A match-action table.
struct TableDeclaration {
  std::string name;
  std::size_t entries = 0;
  unsigned key_bits = 0;
  unsigned action_bits = 0;
  bool ternary = false;
};

/// `count` register arrays that are touched alike, as those of a packet's values are. A cell of 64
/// bits is a pair of 32-bit words that one action handles together.
struct RegisterDeclaration {
  std::string name;
  std::size_t cells = 0;
  unsigned bits = 32;  ///< of a cell: 8, 16, 32 or 64
  unsigned count = 1;
  unsigned actions = 1;         ///< that differ from each other, over all passes
  TableDeclaration match = {};  ///< selects the action, where a block for its entries is not enough
};

/// What a pass does with one register array or table.
struct Step {
  std::string of;
  /// Arrays and tables of this pass whose results decide what is done here, or go into it.
  std::vector<std::string> needs = {};
  /// The array or table of this pass that its index comes from; empty: the packet brings it.
  std::string index_from = {};
  /// By the most demanding of the array's actions: comparisons, and words that it gives back.
  unsigned comparisons = 0;
  unsigned outputs = 1;
};

/// One way through the pipeline: all that a packet of some kind may touch, in the program's order.
struct PassDeclaration {
  std::string name;
  std::vector<Step> steps;
  unsigned resubmitted_bits = 0;  ///< what a resubmitted packet brings along from the pass before
};

/// What a data-plane program takes, for the placement in stages.
struct Declaration {
  std::string name;
  std::vector<RegisterDeclaration> registers;
  std::vector<TableDeclaration> tables;
  std::vector<PassDeclaration> passes;
  std::size_t phv_bits = 0;  ///< headers and metadata that a pass carries along
  unsigned multicast_groups = 0;
  unsigned mirror_sessions = 0;
};

}  // namespace ina::rmt
