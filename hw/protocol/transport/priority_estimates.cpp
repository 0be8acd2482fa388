// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/priority_estimates.hpp"

#include <algorithm>
#include <cmath>

namespace ina {

namespace {

constexpr double kTicksPerMs = 1e9;
constexpr double kMinMs = 0.01;  // of what P is divided by
constexpr double kScale = 64;
constexpr double kMost = 65535;
constexpr double kEwmaWeight = 0.125;
constexpr double kParameterBits = 32;

double ms(Time time) { return static_cast<double>(time.count()) / kTicksPerMs; }

double ewma(double old, double sample) { return old + kEwmaWeight * (sample - old); }

}  // namespace

PriorityEstimates::PriorityEstimates(const Model& model, std::uint64_t line_rate_bps)
    : layers_(model.layers),
      communication_ms_(static_cast<double>(model.parameters) * kParameterBits /
                        static_cast<double>(line_rate_bps) * 1e3),
      computation_ms_(std::max(ms(model.computation), kMinMs)),
      iteration_ms_(communication_ms_ + computation_ms_) {}

std::uint16_t PriorityEstimates::priority(std::uint32_t layer, Time elapsed) const {
  const double remaining_ms = std::max(iteration_ms_ - ms(elapsed), kMinMs);
  const double priority =
      1 / remaining_ms * layers_ / (layer + 1.0) * communication_ms_ / computation_ms_;
  return static_cast<std::uint16_t>(std::clamp(std::round(kScale * priority), 1.0, kMost));
}

void PriorityEstimates::update(Time iteration, Time communication, Time computation) {
  iteration_ms_ = ewma(iteration_ms_, ms(iteration));
  communication_ms_ = ewma(communication_ms_, ms(communication));
  computation_ms_ = std::max(ewma(computation_ms_, ms(computation)), kMinMs);
}

}  // namespace ina
