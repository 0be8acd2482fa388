// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/protocol/wire/frame.hpp"

namespace ina::testing {

/// A frame in words, without its values. Bitmaps have one digit for each of `workers`, rank 0 last.
std::string in_words(const Frame& frame, int workers);

}  // namespace ina::testing
