// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/tensor_priority.hpp"

namespace ina {

/// When a worker determines T, the remaining time of the iteration in DSA's priority: when it
/// submits a tensor, for all packets of the tensor, or when it sends a packet, for this packet.
enum class RemainingTime : std::uint8_t { at_submission, at_sending };
/// Names in the order of RemainingTime.
inline constexpr std::array<std::string_view, 2> kRemainingTimeNames = {"at_submission",
                                                                        "at_sending"};
/// DSA III.B and V: packets carry the remaining time of the *current* epoch. The time of
/// submission is not current: in the paper's simulations, tensors wait in the worker for most of
/// an iteration.
inline constexpr RemainingTime kDsaRemainingTime = RemainingTime::at_sending;

/// How packets encode the remaining time of an iteration. It must be the same for all jobs, since
/// switches compare the jobs' priorities.
struct PriorityCode {
  RemainingTime remaining = kDsaRemainingTime;
  /// Unit of the remaining time, which DSA V does not state. Priorities are proportional to the
  /// unit. A long unit tells long iterations apart, but priorities of short iterations saturate.
  Time unit = std::chrono::milliseconds(1);

  bool operator==(const PriorityCode&) const = default;
};

/// DSA V, the priority of a tensor: P = 1/T * L/l * Comm/Comp. T is the remaining time of the
/// iteration in units of PriorityCode. The tensor is of layer l of L layers. Comm and Comp are the
/// times of communication and computation in an iteration.
///
/// Packets carry kPriorityScale * P, rounded, from 1 to 65535. The scale is the same for all jobs,
/// because the switch compares their priorities. The code is linear, so that a shift by one bit
/// halves P. If T is in milliseconds and at least a quarter of an iteration, the code covers the
/// priorities of DNN A and B, VGG16 and ResNet50 at 10 and 100 Gbps, from 0.0001 to 12 (test
/// PriorityCode in ns3-modules/ina-cluster/test). Nearer to the end of an iteration, its estimated
/// length does not predict the remaining time anyway.
///
/// Each worker estimates T and Comp as averages over its iterations, starting from the model's
/// values. Comp is at least a hundredth of a unit, so that a model without computation still has a
/// finite priority. Comm is the gradient's bytes divided by the line rate, as in VII.B, where
/// Comm/Comp of DNN A is 2 for full overlap. Comm is not measured, since no measure suits. The
/// elapsed time, or the time with packets in flight, includes contention and waits for other
/// workers: a job would gain priority by its delay. The time with packets in flight but without
/// computation is close to 0 for every model that overlaps both, whether it sends little or much.
class PriorityEstimates {
 public:
  /// Values of a model that are known before the first iteration.
  struct Model {
    std::uint32_t layers = 1;
    std::uint64_t parameters = 0;
    Time computation{};  ///< per iteration, forward and backward
  };

  PriorityEstimates(const Model& model, std::uint64_t line_rate_bps, const PriorityCode& code);

  /// Priority of a tensor that is submitted at `now`. `layer`: index of the tensor's layer, from 0
  /// at the front. `begun`: start of the iteration.
  TensorPriority priority(std::uint32_t layer, Time begun, Time now) const;

  /// Updates the averages with the times of an iteration.
  void update(Time iteration, Time computation);

 private:
  PriorityCode code_;
  double layers_;
  double communication_;  // this and the next two in picoseconds
  double computation_;
  double iteration_;
};

}  // namespace ina
