// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/reader/trace_files.hpp"

namespace ina::scenarios {

namespace {

/// With more partitions, runs would take hours, because a worker scans all its unfinished
/// partitions.
constexpr std::uint64_t kMaxPartitions = 100'000;

void check_partitions(const ObjectReader& reader, const ModelProfile& profile) {
  if (profile.partition_bytes % 4 != 0) {
    reader.fail("partition_bytes",
                fmt::format("found {} bytes; allowed: a multiple of 4, the size of a value",
                            profile.partition_bytes));
  }
  const auto partitions = partition_count(profile);
  if (partitions == 0) {
    reader.fail("layers", "found no layer with parameters; allowed: at least one");
  }
  if (partitions > kMaxPartitions) {
    reader.fail("layers",
                fmt::format("found {} partitions of {}; allowed: at most {} in all layers together",
                            partitions, format_bytes(profile.partition_bytes), kMaxPartitions));
  }
}

/// The sum of all times must fit 64 bits.
void check_compute_time(const ObjectReader& reader, const ModelProfile& profile) {
  std::int64_t total = 0;
  for (const auto& layer : profile.layers) {
    total += layer.forward_ps + layer.backward_ps;
    if (total > kMaxTimePs) {
      reader.fail(
          "layers",
          fmt::format("found more than {0} of computation; allowed: at most {0} per iteration",
                      format_time(kMaxTimePs)));
    }
  }
}

/// One element of "send_order": a layer and one of its partitions, both counted from 1.
std::pair<std::uint32_t, std::uint32_t> read_partition(const ObjectReader& reader,
                                                       const Json& value, std::size_t index,
                                                       const ModelProfile& profile) {
  const auto refuse = [&](const std::string& allowed) {
    reader.document().fail(
        pointer_to(reader.pointer_of("send_order"), index),
        fmt::format("found {}; allowed: {}",
                    shorten(value.dump(-1, ' ', false, Json::error_handler_t::replace)), allowed));
  };
  const auto positive = [](const Json& number) {
    return number.is_number_unsigned() && number > 0;
  };
  if (!value.is_array() || value.size() != 2 || !positive(value[0]) || !positive(value[1])) {
    refuse("[layer, partition], two integers counted from 1");
  }
  const auto layer = value[0].get<std::uint64_t>();
  if (layer > profile.layers.size()) {
    refuse(fmt::format("a layer from 1 to {}", profile.layers.size()));
  }
  const auto partitions = partition_count(profile.layers[layer - 1], profile.partition_bytes);
  const auto partition = value[1].get<std::uint64_t>();
  if (partition > partitions) {
    refuse(partitions == 0
               ? fmt::format("a layer with parameters, but layer {} has none", layer)
               : fmt::format("a partition from 1 to {} of layer {}", partitions, layer));
  }
  return {static_cast<std::uint32_t>(layer), static_cast<std::uint32_t>(partition)};
}

void read_send_order(ObjectReader& reader, ModelProfile& profile) {
  const Json* order = reader.find("send_order");
  if (order == nullptr) {
    return;
  }
  if (!order->is_array()) {
    reader.refuse("send_order", "an array of [layer, partition]");
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 0; i < order->size(); ++i) {
    const auto partition = read_partition(reader, (*order)[i], i, profile);
    if (!seen.insert(partition).second) {
      reader.document().fail(
          pointer_to(reader.pointer_of("send_order"), i),
          fmt::format("found partition {} of layer {} twice; allowed: each partition once",
                      partition.second, partition.first));
    }
    profile.send_order.push_back(partition);
  }
  if (const auto partitions = partition_count(profile); seen.size() != partitions) {
    reader.fail("send_order",
                fmt::format("found {} of the {} partitions; allowed: each partition once",
                            seen.size(), partitions));
  }
}

/// Reads a scale of at most 1, so that a scaled profile stays within all limits.
double read_scale(ObjectReader& reader) {
  constexpr const char* kAllowed = "a number above 0, at most 1";
  reader.require("scale");
  const Json* const value = reader.find_wanted("scale", kAllowed);
  if (value == nullptr) return 1;
  const double scale = value->is_number() ? value->get<double>() : 0;
  if (!(scale > 0 && scale <= 1)) reader.refuse("scale", kAllowed);
  return scale;
}

template <class Number>
void multiply(Number& number, double scale) {
  number = static_cast<Number>(std::llround(static_cast<double>(number) * scale));
}

/// Scales a layer. A layer with parameters keeps at least one.
void multiply(LayerProfile& layer, double scale) {
  const bool has_parameters = layer.parameters > 0;
  multiply(layer.parameters, scale);
  if (has_parameters) layer.parameters = std::max<std::uint64_t>(layer.parameters, 1);
  multiply(layer.forward_ps, scale);
  multiply(layer.backward_ps, scale);
}

}  // namespace

ModelProfile read_scaled_profile(ObjectReader& reader, TraceFiles& files) {
  std::string from;
  reader.text("from", from, "");
  ModelProfile profile = files.profile(reader.document(), reader.pointer_of("from"), from);
  if (!profile.send_order.empty()) {
    reader.refuse("from", "a profile without \"send_order\", since a scale changes the partitions");
  }
  const double scale = read_scale(reader);
  profile.name = fmt::format("{} x {}", profile.name, scale);
  reader.derived_text("name", profile.name, "");
  visit_exposed(reader, profile);
  for (LayerProfile& layer : profile.layers) multiply(layer, scale);
  return profile;
}

ModelProfile read_profile(ObjectReader& reader, const std::string& default_name) {
  ModelProfile profile;
  profile.name = default_name;
  visit_profile(reader, profile);
  if (!profile.layers.empty()) {
    check_partitions(reader, profile);
    check_compute_time(reader, profile);
    read_send_order(reader, profile);
  } else {
    // finish() reports that "layers" is missing; an unread "send_order" must not hide that.
    reader.find("send_order");
  }
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    auto& name = profile.layers[i].name;
    name = name.empty() ? fmt::format("layer{}", i + 1) : name;
  }
  return profile;
}

}  // namespace ina::scenarios
