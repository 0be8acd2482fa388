// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/traffic/size_distribution.hpp"

#include <algorithm>
#include <cmath>

namespace ina::cluster::traffic {

double SizeDistribution::mean_bytes() const {
  double mean = points.front().bytes * points.front().share;
  for (std::size_t i = 1; i < points.size(); ++i) {
    mean += (points[i].share - points[i - 1].share) * (points[i].bytes + points[i - 1].bytes) / 2;
  }
  return mean;
}

std::uint64_t SizeDistribution::bytes_at(double share) const {
  const auto above = std::ranges::lower_bound(points, share, {}, &Point::share);
  const Point& high = above == points.end() ? points.back() : *above;
  double bytes = high.bytes;
  if (above != points.begin() && above != points.end()) {
    const Point& low = *(above - 1);
    bytes = std::lerp(low.bytes, high.bytes, (share - low.share) / (high.share - low.share));
  }
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(bytes)));
}

}  // namespace ina::cluster::traffic
