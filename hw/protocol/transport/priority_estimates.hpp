// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/time.hpp"

namespace ina {

/// DSA V, the priority of a partition: P = 1/T * L/l * Comm/Comp, with T the remaining time of the
/// iteration in milliseconds, l the partition's layer of L, Comm and Comp the times of
/// communication and computation. In packets it is 64 * P, rounded, from 1 to 65535. T, Comm and
/// Comp are a worker's own: averages of its iterations, which begin with the model's values.
class PriorityEstimates {
 public:
  /// What is known of a model before the first iteration.
  struct Model {
    std::uint32_t layers = 1;
    std::uint64_t parameters = 0;
    Time computation{};  ///< of an iteration, forward and backward
  };

  PriorityEstimates(const Model& model, std::uint64_t line_rate_bps);

  /// `layer`: from 0, the front; `elapsed`: since the iteration began.
  std::uint16_t priority(std::uint32_t layer, Time elapsed) const;

  /// What an iteration took.
  void update(Time iteration, Time communication, Time computation);

 private:
  double layers_;
  double communication_ms_;
  double computation_ms_;
  double iteration_ms_;
};

}  // namespace ina
