// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace ina::numeric {

/// Throws std::invalid_argument unless a conversion's input and output have the same size.
inline void require_equal_sizes(std::size_t in, std::size_t out) {
  if (in != out) {
    throw std::invalid_argument("found " + std::to_string(in) + " values and room for " +
                                std::to_string(out));
  }
}

}  // namespace ina::numeric
