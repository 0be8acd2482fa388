// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>

namespace ina::numeric {

/// Result of a conversion from floating point to integers.
struct QuantiseStatus {
  /// Number of values that did not fit and were written as the nearest value that fits.
  std::size_t saturated = 0;
  /// Index of the first NaN or infinity. If it is set, no value was converted or written, and
  /// `saturated` is 0. Such a gradient is useless; the caller reports it to the training framework
  /// instead of summing it.
  std::optional<std::size_t> non_finite;

  /// Whether every value was converted, with no error except rounding.
  [[nodiscard]] bool ok() const noexcept { return saturated == 0 && !non_finite; }
};

}  // namespace ina::numeric
