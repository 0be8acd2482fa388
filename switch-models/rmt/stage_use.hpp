// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/declaration.hpp"

namespace ina::rmt {

/// Number of units of each stage resource that a stage has in use, or that an array or table needs.
struct StageUse {
  unsigned sram_blocks = 0;
  unsigned map_rams = 0;
  unsigned meter_alus = 0;
  unsigned tcam_blocks = 0;
  unsigned logical_tables = 0;
  unsigned hash_distribution_units = 0;
};

struct StageResource {
  std::string_view name;
  unsigned StageUse::*used;
  unsigned Chip::*budget;
};
inline constexpr std::array<StageResource, 6> kStageResources = {
    {{"stateful ALUs", &StageUse::meter_alus, &Chip::meter_alus},
     {"map RAMs", &StageUse::map_rams, &Chip::map_rams},
     {"SRAM blocks", &StageUse::sram_blocks, &Chip::sram_blocks},
     {"TCAM blocks", &StageUse::tcam_blocks, &Chip::tcam_blocks},
     {"logical tables", &StageUse::logical_tables, &Chip::logical_tables},
     {"hash units", &StageUse::hash_distribution_units, &Chip::hash_distribution_units}}};

constexpr unsigned blocks_of(std::size_t amount, std::size_t block) {
  return static_cast<unsigned>((amount + block - 1) / block);
}

/// SRAM blocks for the cells of one array, not of all `array.count` equal arrays.
constexpr unsigned data_blocks(const RegisterDeclaration& array) {
  return blocks_of(array.cells * array.bits, kSramBlockBits);
}

constexpr StageUse use_of(const TableDeclaration& table) {
  if (table.ternary) {
    return {.sram_blocks = 1,
            .tcam_blocks =
                blocks_of(table.entries, kTcamWords) * blocks_of(table.key_bits, kTcamWordBits),
            .logical_tables = 1};
  }
  const std::size_t bits = table.entries * (table.key_bits + table.action_bits);
  return {.sram_blocks = std::max(1U, blocks_of(bits, kSramBlockBits)), .logical_tables = 1};
}

/// Resources of a single array, including the table that selects its action. An array has one spare
/// block, for reads and writes in the same cycle, and each of its blocks needs a map RAM. An array
/// of 40 000 cells, as in ATP's public program, thus needs 11 map RAMs. Four such arrays in
/// one stage need 44, as in DSA's Fig. 2. Placement counts one hash unit for all of them.
constexpr StageUse use_of(const RegisterDeclaration& array) {
  StageUse use = use_of(array.match);
  use.map_rams = data_blocks(array) + 1;
  use.sram_blocks += use.map_rams;
  use.meter_alus = 1;
  use.hash_distribution_units = 1;
  return use;
}

}  // namespace ina::rmt
