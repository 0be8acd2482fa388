/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

/// Compares the simulator with stock ns-3 in alternating runs: 8 jobs of 8 workers under DSA with
/// the whole protocol, and the same number of packets over a star of stock devices (stock-star.h).
/// Prints CPU nanoseconds per packet-hop and the ratios, and returns the figures.
ina::fields::Json BenchStar(unsigned rounds);
