// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/transport/priority_estimates.hpp"

namespace ina::cluster {

struct LayerProfile {
  std::string name;
  std::uint64_t parameters{0};
  std::int64_t forward_ps{0};
  std::int64_t backward_ps{0};

  bool operator==(const LayerProfile&) const = default;
};

/// Gradients are float32.
inline constexpr std::uint64_t kBytesPerParameter = 4;

/// Number of partitions of a layer's gradient; the last one may be shorter.
constexpr std::uint64_t partition_count(const LayerProfile& layer, std::uint64_t partition_bytes) {
  return (layer.parameters * kBytesPerParameter + partition_bytes - 1) / partition_bytes;
}

/// A model: its layers from front to back.
struct ModelProfile {
  std::string name;
  std::string source;
  std::vector<LayerProfile> layers;
  std::uint64_t partition_bytes{4'000'000};
  /// (layer, partition), numbered from 1; empty: layers back to front, partitions ascending
  std::vector<std::pair<std::uint32_t, std::uint32_t>> send_order;
  /// Share of the gradient's bytes, from 0 to 1, that is submitted only after the backward pass:
  /// the last bytes in the order of sending.
  double exposed{0};

  bool operator==(const ModelProfile&) const = default;
};

/// Number of partitions of all layers.
inline std::uint64_t partition_count(const ModelProfile& profile) {
  std::uint64_t partitions = 0;
  for (const LayerProfile& layer : profile.layers) {
    partitions += partition_count(layer, profile.partition_bytes);
  }
  return partitions;
}

/// The estimates of a worker before its first iteration, for a model with these layers.
inline PriorityEstimates estimates_of(std::span<const LayerProfile> layers,
                                      std::uint64_t line_rate_bps, const PriorityCode& code) {
  PriorityEstimates::Model model;
  model.layers = static_cast<std::uint32_t>(layers.size());
  for (const LayerProfile& layer : layers) {
    model.parameters += layer.parameters;
    model.computation += Time(layer.forward_ps + layer.backward_ps);
  }
  return {model, line_rate_bps, code};
}

}  // namespace ina::cluster
