/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

#include <string>

/// Compares the simulator with htsim in alternating runs: one ring all-reduce without values on a
/// leaf-spine of 8, 64 and 256 hosts. `htsim` is the path of the program htsim_roce, which is not
/// part of INA Lab. Prints the processor time of whole runs and the ratios, and returns the
/// figures. Throws std::runtime_error if the program fails or does not end all flows.
ina::fields::Json BenchPeers(unsigned rounds, const std::string& htsim);
