/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

/// Measures the simulator against stock ns-3 in one run, alternating: DSA's 8 jobs of 8 workers
/// with the whole protocol on, and as many packets over the same star of stock devices
/// (stock-star.h). Prints CPU nanoseconds per packet-hop and the ratios, and returns the figures.
ina::fields::Json BenchStar(unsigned rounds);
