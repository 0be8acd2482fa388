// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "hw/protocol/wire/frame.hpp"
#include "switch-models/rmt/carry.hpp"
#include "tests/exploration/archive.hpp"

namespace ina::exploration {

/// A frame between two of its passes through a switch.
struct Passing {
  Frame frame;
  rmt::Carry carry;
};

/// The resubmitted and the recirculated frames of a switch, each in order.
using PassingFrames = std::array<std::vector<Passing>, 2>;

}  // namespace ina::exploration
