// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>

namespace ina::numeric {

/// What a conversion from floating point to integers came across.
struct QuantiseStatus {
  /// Values that did not fit and were written as the nearest value that does.
  std::size_t saturated = 0;
  /// The index of the first NaN or infinity. If set, the conversion was refused as a whole: nothing
  /// was written, and `saturated` is 0. A gradient that holds one is lost anyway; the caller tells
  /// the training framework instead of summing rubbish.
  std::optional<std::size_t> non_finite;

  /// True if every value was converted within the error of rounding.
  [[nodiscard]] bool ok() const noexcept { return saturated == 0 && !non_finite; }
};

}  // namespace ina::numeric
