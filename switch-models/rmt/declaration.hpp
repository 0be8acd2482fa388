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

/// `count` register arrays with the same accesses, such as those of a packet's values. A cell of 64
/// bits is a pair of 32-bit words that one action processes together.
struct RegisterDeclaration {
  std::string name;
  std::size_t cells = 0;
  unsigned bits = 32;  ///< per cell: 8, 16, 32 or 64
  unsigned count = 1;
  unsigned actions = 1;         ///< distinct actions, over all passes
  TableDeclaration match = {};  ///< table that selects the action, if it needs more than one block
};

/// One access of a pass to a register array or table.
struct Step {
  std::string of;
  /// Arrays and tables of this pass whose results this step depends on.
  std::vector<std::string> needs = {};
  /// The array or table of this pass that yields the index. Empty: the packet contains the index.
  std::string index_from = {};
  /// Maximum number of comparisons, and of returned words, of any action on the array.
  unsigned comparisons = 0;
  unsigned outputs = 1;
};

/// One path through the pipeline: all accesses that a packet of one kind may make, in the order of
/// the program.
struct PassDeclaration {
  std::string name;
  std::vector<Step> steps;
  unsigned resubmitted_bits = 0;  ///< bits that a resubmitted packet keeps from the previous pass
};

/// Resources that a data-plane program needs. rmt::Placement assigns them to stages.
struct Declaration {
  std::string name;
  std::vector<RegisterDeclaration> registers;
  std::vector<TableDeclaration> tables;
  std::vector<PassDeclaration> passes;
  std::size_t phv_bits = 0;  ///< bits of headers and metadata that a pass carries
  unsigned multicast_groups = 0;
  unsigned mirror_sessions = 0;
};

}  // namespace ina::rmt
