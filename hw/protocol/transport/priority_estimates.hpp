// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/tensor_priority.hpp"

namespace ina {

/// When DSA's T, the remaining time of the iteration, is taken: once for all packets of a tensor,
/// when it is submitted, or for each packet when it is sent.
enum class RemainingTime : std::uint8_t { at_submission, at_sending };
/// In the order of RemainingTime.
inline constexpr std::array<std::string_view, 2> kRemainingTimeNames = {"at_submission",
                                                                        "at_sending"};
/// DSA III.B and V: packets carry the remaining time of the *current* epoch in their headers. A
/// tensor waits in its worker for those before it, most of an iteration in the paper's simulations.
inline constexpr RemainingTime kDsaRemainingTime = RemainingTime::at_sending;

/// How packets encode the remaining time of an iteration. It is the same for all jobs, since
/// switches compare their priorities.
struct PriorityCode {
  RemainingTime remaining = kDsaRemainingTime;
  /// Unit of the remaining time; DSA V states none. Priorities grow with it: a longer unit tells
  /// those of slow networks and long iterations apart, and cuts those of fast ones.
  Time unit = std::chrono::milliseconds(1);

  bool operator==(const PriorityCode&) const = default;
};

/// DSA V, the priority of a tensor: P = 1/T * L/l * Comm/Comp, with T the remaining time of the
/// iteration in units of PriorityCode, l the tensor's layer of L, Comm and Comp the times of
/// communication and computation of an iteration.
///
/// In packets it is kPriorityScale * P, rounded, from 1 to 65535: the same for all jobs, which the
/// switch compares, and proportional, so that a shift halves P. With T of at least a quarter of an
/// iteration, and in milliseconds, that holds what DNN A and B, VGG16 and ResNet50 have at 10 and
/// 100 Gbps, from 0.0001 to 12 (PriorityCode in ns3-modules/ina-cluster/test). Nearer to the end of
/// an iteration its estimated length does not tell what remains.
///
/// T and Comp are a worker's own: averages of its iterations, which begin with the model's values.
/// Comp is at least a hundredth of a unit, so that a model without computation has a priority.
/// Comm is the gradient's bytes over the line rate, as in VII.B, where Comm/Comp of DNN A is 2 for
/// all that overlaps. A span of wall-clock, or the time with packets in flight, has contention and
/// the waiting for others in it, so that who is held up would come first; and the time with packets
/// in flight and no computation is next to 0 for every model that computes meanwhile, whether it
/// sends little or much.
class PriorityEstimates {
 public:
  /// What is known of a model before the first iteration.
  struct Model {
    std::uint32_t layers = 1;
    std::uint64_t parameters = 0;
    Time computation{};  ///< of an iteration, forward and backward
  };

  PriorityEstimates(const Model& model, std::uint64_t line_rate_bps, const PriorityCode& code);

  /// Of a tensor that is submitted at `now`. `layer`: from 0, the front; `begun`: the iteration.
  TensorPriority priority(std::uint32_t layer, Time begun, Time now) const;

  /// What an iteration took.
  void update(Time iteration, Time computation);

 private:
  PriorityCode code_;
  double layers_;
  double communication_;  // this and the following in picoseconds
  double computation_;
  double iteration_;
};

}  // namespace ina
