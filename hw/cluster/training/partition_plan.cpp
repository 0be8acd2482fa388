// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/training/partition_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::cluster {

namespace {

/// (layer, partition), from 1.
using Order = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Layers from back to front, partitions of a layer ascending.
Order default_order(const ModelProfile& profile) {
  Order order;
  for (auto layer = static_cast<std::uint32_t>(profile.layers.size()); layer > 0; --layer) {
    const auto partitions = partition_count(profile.layers[layer - 1], profile.partition_bytes);
    for (std::uint32_t partition = 1; partition <= partitions; ++partition) {
      order.emplace_back(layer, partition);
    }
  }
  return order;
}

Order order_of(const ModelProfile& profile) {
  return profile.send_order.empty() ? default_order(profile) : profile.send_order;
}

std::uint64_t values_of(const ModelProfile& profile, std::uint32_t layer, std::uint32_t partition) {
  const std::uint64_t partition_values = profile.partition_bytes / kBytesPerParameter;
  const std::uint64_t before = (partition - 1) * partition_values;
  return std::min(partition_values, profile.layers[layer - 1].parameters - before);
}

}  // namespace

std::uint32_t exposed_partitions(const ModelProfile& profile) {
  std::uint64_t values = 0;
  for (const LayerProfile& layer : profile.layers) values += layer.parameters;
  const auto bytes = static_cast<double>(values * kBytesPerParameter);
  auto left = static_cast<std::int64_t>(std::llround(profile.exposed * bytes));
  std::uint32_t partitions = 0;
  Order last_first = order_of(profile);
  std::ranges::reverse(last_first);
  for (const auto& [layer, partition] : last_first) {
    if (left <= 0) break;
    left -= static_cast<std::int64_t>(values_of(profile, layer, partition) * kBytesPerParameter);
    ++partitions;
  }
  return partitions;
}

PartitionPlan::PartitionPlan(const ModelProfile& profile, std::uint32_t values_per_fragment,
                             std::uint32_t exponent_slots) {
  for (const auto& [layer, partition] : order_of(profile)) {
    const std::uint64_t values = values_of(profile, layer, partition);
    const auto with_values =
        static_cast<std::uint32_t>((values + values_per_fragment - 1) / values_per_fragment);
    add(layer - 1, with_values, exponent_slots);
  }
}

void PartitionPlan::add(std::uint32_t layer, std::uint32_t fragments_with_values,
                        std::uint32_t exponent_slots) {
  const std::uint32_t lead = exponent_lead_of(fragments_with_values, exponent_slots);
  partitions_.push_back({layer, fragments_, fragments_with_values + lead, lead});
  fragments_ += fragments_with_values + lead;
}

std::size_t PartitionPlan::partition_of(std::uint32_t fragment) const {
  const auto after = std::upper_bound(partitions_.begin(), partitions_.end(), fragment,
                                      [](std::uint32_t f, const PlannedPartition& partition) {
                                        return f < partition.first_fragment;
                                      });
  return static_cast<std::size_t>(after - partitions_.begin()) - 1;
}

}  // namespace ina::cluster
