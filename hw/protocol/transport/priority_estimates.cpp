// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/priority_estimates.hpp"

#include <algorithm>

#include "hw/protocol/units.hpp"

namespace ina {

namespace {

constexpr double kLongest = 1e18;           // longest estimated iteration, in ps
constexpr double kLeastComputation = 0.01;  // lower bound of Comp, in units of the code
constexpr double kLeastShare =
    0.25;  // lower bound of the remaining time, as a share of an iteration
constexpr double kEwmaWeight = 0.125;
constexpr double kParameterBits = 32;

double picoseconds(Time time) { return static_cast<double>(time.count()); }

double ewma(double old, Time sample) { return old + kEwmaWeight * (picoseconds(sample) - old); }

}  // namespace

PriorityEstimates::PriorityEstimates(const Model& model, std::uint64_t line_rate_bps,
                                     const PriorityCode& code)
    : code_(code),
      layers_(model.layers),
      communication_(static_cast<double>(model.parameters) * kParameterBits /
                     static_cast<double>(line_rate_bps) * kPsPerS),
      computation_(picoseconds(model.computation)),
      iteration_(std::min(communication_ + computation_, kLongest)) {}

TensorPriority PriorityEstimates::priority(std::uint32_t layer, Time begun, Time now) const {
  const double unit = picoseconds(code_.unit);
  const double weight = kPriorityScale * unit * layers_ / (layer + 1.0) * communication_ /
                        std::max(computation_, kLeastComputation * unit);
  const Time end = begun + Time(static_cast<std::int64_t>(iteration_));
  const Time least(std::max(static_cast<std::int64_t>(kLeastShare * iteration_), std::int64_t{1}));
  const TensorPriority priority(weight, end, least);
  return code_.remaining == RemainingTime::at_sending ? priority : TensorPriority(priority.at(now));
}

void PriorityEstimates::update(Time iteration, Time computation) {
  iteration_ = ewma(iteration_, iteration);
  computation_ = ewma(computation_, computation);
}

}  // namespace ina
