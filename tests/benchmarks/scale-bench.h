/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

/// Measures how time and memory grow with the cluster: one iteration of DNN A without values on a
/// leaf-spine, under every system that adds up in switches, for 64, 256 and 1 024 workers, in jobs
/// of 32 and in one. Prints a row for each as soon as it is measured, and returns the figures.
ina::fields::Json BenchScale(unsigned rounds);
