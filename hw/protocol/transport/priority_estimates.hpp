// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/tensor_priority.hpp"

namespace ina {

/// When DSA's T, the remaining time of the iteration, is determined: once for all packets of a
/// tensor, at its submission, or for each packet when it is sent.
enum class RemainingTime : std::uint8_t { at_submission, at_sending };
/// Names in the order of RemainingTime.
inline constexpr std::array<std::string_view, 2> kRemainingTimeNames = {"at_submission",
                                                                        "at_sending"};
/// DSA III.B and V: packets carry the remaining time of the *current* epoch in their headers. In
/// the paper's simulations, a tensor waits in its worker for earlier tensors for most of an
/// iteration.
inline constexpr RemainingTime kDsaRemainingTime = RemainingTime::at_sending;

/// Encoding of an iteration's remaining time in packets. It is the same for all jobs, since
/// switches compare their priorities.
struct PriorityCode {
  RemainingTime remaining = kDsaRemainingTime;
  /// Unit of the remaining time; DSA V states none. Priorities grow with it: a longer unit
  /// distinguishes those of slow networks and long iterations, and saturates those of fast ones.
  Time unit = std::chrono::milliseconds(1);

  bool operator==(const PriorityCode&) const = default;
};

/// DSA V, the priority of a tensor: P = 1/T * L/l * Comm/Comp. T is the remaining time of the
/// iteration in units of PriorityCode, l the tensor's layer of L layers, Comm and Comp the times of
/// communication and computation of an iteration.
///
/// Packets carry kPriorityScale * P, rounded, from 1 to 65535. The code is the same for all jobs,
/// because the switch compares them, and linear, so that a shift halves P. Suppose that T is at
/// least a quarter of an iteration and in milliseconds. The code then covers the priorities of DNN
/// A and B, VGG16 and ResNet50 at 10 and 100 Gbps, from 0.0001 to 12 (PriorityCode in
/// ns3-modules/ina-cluster/test). Closer to the end of an iteration its estimated length does not
/// predict the remaining time.
///
/// T and Comp are a worker's own: averages of its iterations, which begin with the model's values.
/// Comp is at least a hundredth of a unit, so that a model without computation has a priority. Comm
/// is the gradient's bytes over the line rate, as in VII.B, where Comm/Comp of DNN A is 2 for full
/// overlap. Two measured times would not do. Wall-clock time, or the time with packets in flight,
/// includes contention and the wait for others, so a delayed job would come first. The time with
/// packets in flight and no computation is close to 0 for every model that computes meanwhile,
/// whether it sends little or much.
class PriorityEstimates {
 public:
  /// Known values of a model before the first iteration.
  struct Model {
    std::uint32_t layers = 1;
    std::uint64_t parameters = 0;
    Time computation{};  ///< per iteration, forward and backward
  };

  PriorityEstimates(const Model& model, std::uint64_t line_rate_bps, const PriorityCode& code);

  /// Priority of a tensor that is submitted at `now`. `layer`: from 0, the front layer; `begun`:
  /// start of the iteration.
  TensorPriority priority(std::uint32_t layer, Time begun, Time now) const;

  /// Updates the averages with the times of an iteration.
  void update(Time iteration, Time computation);

 private:
  PriorityCode code_;
  double layers_;
  double communication_;  // this and the following in picoseconds
  double computation_;
  double iteration_;
};

}  // namespace ina
