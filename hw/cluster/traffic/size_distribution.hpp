// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ina::cluster::traffic {

/// Of sizes: which share of them is at most so large, by points, between two of them in proportion.
struct SizeDistribution {
  struct Point {
    double bytes = 0;
    double share = 0;

    bool operator==(const Point&) const = default;
  };

  std::string name;           ///< its file, as a scenario names it
  std::vector<Point> points;  ///< ascending, the last one of share 1

  double mean_bytes() const;
  /// At a share from 0 to 1; at least 1.
  std::uint64_t bytes_at(double share) const;

  bool operator==(const SizeDistribution&) const = default;
};

}  // namespace ina::cluster::traffic
