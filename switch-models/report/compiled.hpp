// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/stage_use.hpp"

namespace ina::report {

/// Thrown if the folder does not contain a program that was compiled for the chip.
struct NotCompiled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads, from the open compiler's output, which resources of each stage of the chip a P4 program
/// uses, for ingress and egress together. `p4c-barefoot -g --verbose -o FOLDER` writes the folder.
/// Throws NotCompiled.
std::vector<rmt::StageUse> read_compiled(const std::filesystem::path& folder,
                                         const rmt::Chip& chip);

}  // namespace ina::report
