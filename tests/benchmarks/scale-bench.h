/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

/// Measures how time and memory grow with the cluster. Each run is one iteration of DNN A without
/// values on a leaf-spine. There is a run for each system that aggregates in switches, for 64, 256
/// and 1 024 workers, in jobs of 32 and in one job. Prints each row as soon as it is measured, and
/// returns the figures.
ina::fields::Json BenchScale(unsigned rounds);
