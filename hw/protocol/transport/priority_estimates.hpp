// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/tensor_priority.hpp"

namespace ina {

/// When a worker determines DSA's T, the remaining time of the iteration: a single time for all
/// packets of a tensor, when it is submitted, or for each packet when it is sent.
enum class RemainingTime : std::uint8_t { at_submission, at_sending };
/// Names in the order of RemainingTime.
inline constexpr std::array<std::string_view, 2> kRemainingTimeNames = {"at_submission",
                                                                        "at_sending"};
/// DSA III.B and V: packets carry the remaining time of the *current* epoch in their headers. In
/// the paper's simulations, a tensor waits in its worker for earlier tensors for most of an
/// iteration.
inline constexpr RemainingTime kDsaRemainingTime = RemainingTime::at_sending;

/// How packets encode the remaining time of an iteration. It must be the same for all jobs, since
/// switches compare the jobs' priorities.
struct PriorityCode {
  RemainingTime remaining = kDsaRemainingTime;
  /// Unit of the remaining time; DSA V states none. Priorities are proportional to the unit: a long
  /// one distinguishes the priorities of long iterations, but saturates those of short ones.
  Time unit = std::chrono::milliseconds(1);

  bool operator==(const PriorityCode&) const = default;
};

/// DSA V, the priority of a tensor: P = 1/T * L/l * Comm/Comp. T is the remaining time of the
/// iteration in units of PriorityCode, l the tensor's layer of L layers, Comm and Comp the times of
/// communication and computation of an iteration.
///
/// Packets carry kPriorityScale * P, rounded, from 1 to 65535. This code is the same for all jobs,
/// because the switch compares their priorities, and linear, so that a shift by one bit halves P.
/// If T is in milliseconds and at least a quarter of an iteration, the code covers the priorities
/// of DNN A and B, VGG16 and ResNet50 at 10 and 100 Gbps, from 0.0001 to 12 (test PriorityCode in
/// ns3-modules/ina-cluster/test). Nearer to the end of an iteration, its estimated length does not
/// predict the remaining time anyway.
///
/// Each worker estimates T and Comp as averages over its iterations, starting from the model's
/// values. Comp is at least a hundredth of a unit, so that a model without computation still has a
/// finite priority. Comm is the gradient's bytes divided by the line rate, as in VII.B, where
/// Comm/Comp of DNN A is 2 for full overlap. It is not measured, for two reasons. The elapsed time,
/// or the time with packets in flight, includes contention and waiting for others, and would favour
/// a job because it is delayed. The time with packets in flight but no computation is close to 0
/// for every model that overlaps both, whether it sends little or much.
class PriorityEstimates {
 public:
  /// Values of a model that are known before the first iteration.
  struct Model {
    std::uint32_t layers = 1;
    std::uint64_t parameters = 0;
    Time computation{};  ///< per iteration, forward and backward
  };

  PriorityEstimates(const Model& model, std::uint64_t line_rate_bps, const PriorityCode& code);

  /// Priority of a tensor that is submitted at `now`. `layer`: index of its layer, 0 for the front
  /// layer; `begun`: start of the iteration.
  TensorPriority priority(std::uint32_t layer, Time begun, Time now) const;

  /// Updates the averages with the times of an iteration.
  void update(Time iteration, Time computation);

 private:
  PriorityCode code_;
  double layers_;
  double communication_;  // this and the next ones in picoseconds
  double computation_;
  double iteration_;
};

}  // namespace ina
