// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ina::cluster::traffic {

/// Cumulative distribution function of flow sizes, linear between the given points.
struct SizeDistribution {
  struct Point {
    double bytes = 0;
    double share = 0;

    bool operator==(const Point&) const = default;
  };

  std::string name;           ///< file name in the scenario
  std::vector<Point> points;  ///< ascending; the last one has share 1

  double mean_bytes() const;
  /// Size in bytes, at least 1. `share`, from 0 to 1, is the share of flows that are not larger.
  std::uint64_t bytes_at(double share) const;

  bool operator==(const SizeDistribution&) const = default;
};

}  // namespace ina::cluster::traffic
