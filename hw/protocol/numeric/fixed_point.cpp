// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/fixed_point.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "hw/protocol/numeric/equal_sizes.hpp"
#include "hw/protocol/numeric/scaled_rounding.hpp"

namespace ina::numeric {
namespace {

void require_positive(double value, const char* name) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw std::invalid_argument(std::string(name) + " must be positive and finite, found " +
                                std::to_string(value));
  }
}

// (2^31 - n) / n
double share_of_range(std::uint32_t workers) {
  if (workers == 0 || workers >= 0x80000000U) {
    throw std::invalid_argument("workers must be 1 ... 2^31 - 1, found " + std::to_string(workers));
  }
  return (0x1p31 - workers) / workers;
}

}  // namespace

double switchml_scale(std::uint32_t workers, double bound) {
  require_positive(bound, "the bound");
  const double scale = share_of_range(workers) / bound;
  require_positive(scale, "the scale");
  return scale;
}

double overflow_bound(std::uint32_t workers, double scale) {
  require_positive(scale, "the scale");
  return share_of_range(workers) / scale;
}

double error_bound(std::uint32_t workers, double scale) {
  require_positive(scale, "the scale");
  if (workers == 0) throw std::invalid_argument("workers must be at least 1");
  return workers / scale;
}

QuantiseStatus quantise(std::span<const float> in, double scale, std::span<std::int32_t> out) {
  require_equal_sizes(in.size(), out.size());
  require_positive(scale, "the scale");
  if (const auto index = first_non_finite(in)) return {.saturated = 0, .non_finite = index};
  using Limits = std::numeric_limits<std::int32_t>;
  return {.saturated = scale_and_round(in.data(), scale, Limits::min(), Limits::max(), out.data(),
                                       in.size()),
          .non_finite = std::nullopt};
}

void dequantise(std::span<const std::int32_t> in, double scale, std::span<float> out) {
  require_equal_sizes(in.size(), out.size());
  require_positive(scale, "the scale");
  divide(in.data(), scale, out.data(), in.size());
}

}  // namespace ina::numeric
