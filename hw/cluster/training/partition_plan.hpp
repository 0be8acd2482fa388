// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/cluster/training/model_profile.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::cluster {

/// Number of partitions that are submitted only after the backward pass, the last ones in the order
/// of sending. It is the smallest number whose partitions contain the exposed share of the bytes.
std::uint32_t exposed_partitions(const ModelProfile& profile);

/// A partition of a layer's gradient, which is all-reduced as one tensor.
struct PlannedPartition {
  std::uint32_t layer;           ///< from 0, the front layer
  std::uint32_t first_fragment;  ///< index within the iteration
  std::uint32_t fragments;
  std::uint32_t exponent_lead;  ///< number of `fragments` without values (see Tensor)

  bool operator==(const PlannedPartition&) const = default;
};

/// How a model's gradients are divided into partitions and fragments, in the order of sending. All
/// workers of a job have the same plan, so a PSN means the same fragment everywhere.
class PartitionPlan {
 public:
  PartitionPlan() = default;
  /// `values_per_fragment`: number of values in a packet. `exponent_slots`: number of SwitchML's
  /// slots if block floating point is used, otherwise 0.
  PartitionPlan(const ModelProfile& profile, std::uint32_t values_per_fragment,
                std::uint32_t exponent_slots);

  /// Appends a partition of `layer` with `fragments_with_values` fragments of values.
  void add(std::uint32_t layer, std::uint32_t fragments_with_values, std::uint32_t exponent_slots);

  const std::vector<PlannedPartition>& partitions() const { return partitions_; }

  std::uint32_t fragments_per_iteration() const { return fragments_; }

  /// Index of the partition that contains a fragment of an iteration.
  std::size_t partition_of(std::uint32_t fragment) const;

  bool operator==(const PartitionPlan&) const = default;

 private:
  std::vector<PlannedPartition> partitions_;
  std::uint32_t fragments_{0};
};

}  // namespace ina::cluster
