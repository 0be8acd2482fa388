/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

/// Measures how time and memory grow with the cluster. Each run is one iteration of DNN A without
/// values on a leaf-spine. The runs combine every system that aggregates in switches with 64, 256
/// and 1 024 workers, in jobs of 32 workers or in a single job. Prints each row as soon as it is
/// measured, and returns the figures.
ina::fields::Json BenchScale(unsigned rounds);
