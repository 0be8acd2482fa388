// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_sizes.hpp"

#include <algorithm>

#include "hw/protocol/transport/interface_queue.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "scenarios/reader/scenario_fields.hpp"

namespace ina::scenarios {

namespace {

constexpr std::uint64_t kValueBytes = 4;
constexpr double kPsPerS = 1e12;
constexpr double kBitsPerByte = 8;

/// From a worker to where its results come from and back, without queues: ATP's server, DSA's
/// switch. What DSA's workers have at a server waits for the server's link, which they share.
double base_round_trip_ps(const Scenario& scenario) {
  const TopologyScenario& topology = scenario.topology;
  const auto link = static_cast<double>(topology.link.delay_ps);
  const auto pipeline = static_cast<double>(scenario.switch_.pipeline_latency_ps);
  if (scenario.system != System::atp) {
    return 2 * link + pipeline;
  }
  const auto uplink = static_cast<double>(topology.uplink.delay_ps);
  return 4 * link + 2 * pipeline + (topology.racks > 1 ? 2 * (uplink + pipeline) : 0);
}

template <typename Transport>
std::uint32_t network_holds(const Transport& transport, const Scenario& scenario) {
  const LinkScenario& link = scenario.topology.link;
  const auto frame = static_cast<double>(frame_bytes(scenario));
  const auto line_bits = (frame + link.framing_bytes) * kBitsPerByte;
  const auto on_the_way =
      static_cast<double>(link.rate_bps) * base_round_trip_ps(scenario) / kPsPerS / line_bits;
  // ATP's packets meet at the server's link; DSA's have links of their own.
  const auto queue_bytes = scenario.system == System::atp
                               ? static_cast<double>(scenario.switch_.ecn_threshold_bytes)
                               : static_cast<double>(kInterfaceQueueBytes);
  const auto queued = queue_bytes / frame;
  const auto least = static_cast<double>(transport.initial_window_packets);
  return static_cast<std::uint32_t>(
      std::max(least, std::min<double>(on_the_way + queued, kMaxWindow)));
}

template <typename Transport>
std::uint32_t max_window_of(const Transport& transport, const Scenario& scenario) {
  return transport.max_window_packets.value_or(network_holds(transport, scenario));
}

template <typename Transport>
std::uint32_t table_entries_of(const Transport& transport, const Scenario& scenario) {
  if (transport.table_entries) {
    return *transport.table_entries;
  }
  const std::uint32_t most = transport.congestion_control ? max_window_of(transport, scenario)
                                                          : transport.initial_window_packets;
  const std::uint32_t window = most != 0 ? most : network_holds(transport, scenario);
  return std::min(2 * window, kMaxWindow);
}

}  // namespace

wire::Protocol protocol_of(const Scenario& scenario) {
  if (scenario.system == System::switchml) {
    return wire::Protocol::switchml;
  }
  return scenario.system == System::atp ? wire::Protocol::atp : wire::Protocol::dsa;
}

std::uint32_t values_per_packet(const Scenario& scenario) {
  return scenario.system == System::switchml ? scenario.switchml.values_per_packet
                                             : std::uint32_t{wire::kFragmentValues};
}

std::uint32_t exponent_slots(const Scenario& scenario) {
  const bool in_blocks = scenario.system == System::switchml &&
                         scenario.switchml.quantisation == Quantisation::block_floating_point;
  return in_blocks ? slots_per_job(scenario) : 0;
}

std::uint64_t fragments_of(const Scenario& scenario, const ModelProfile& profile) {
  const std::uint64_t values = values_per_packet(scenario);
  const std::uint32_t slots = exponent_slots(scenario);
  const auto fragments = [=](std::uint64_t bytes) {
    const auto with_values = (bytes / kValueBytes + values - 1) / values;
    return with_values + exponent_lead_of(with_values, slots);
  };
  std::uint64_t total = 0;
  for (const auto& layer : profile.layers) {
    const auto bytes = layer.parameters * kValueBytes;
    total += bytes / profile.partition_bytes * fragments(profile.partition_bytes) +
             fragments(bytes % profile.partition_bytes);
  }
  return total;
}

std::uint64_t frame_bytes(const Scenario& scenario) {
  return ina::frame_bytes(protocol_of(scenario), values_per_packet(scenario));
}

std::uint64_t aggregator_bytes(const Scenario& scenario) {
  const std::uint64_t copies = scenario.system == System::switchml ? 2 : 1;
  return copies * kValueBytes * values_per_packet(scenario);
}

std::uint16_t rack_of_host(const TopologyScenario& topology, std::uint32_t host) {
  return static_cast<std::uint16_t>(host * topology.racks / topology.hosts);
}

std::uint32_t aggregators(const Scenario& scenario) {
  return static_cast<std::uint32_t>(scenario.switch_.memory_bytes / aggregator_bytes(scenario));
}

std::uint32_t table_entries(const Scenario& scenario) {
  return scenario.system == System::atp ? table_entries_of(scenario.atp, scenario)
                                        : table_entries_of(scenario.dsa, scenario);
}

std::uint32_t slots_per_job(const Scenario& scenario) {
  if (scenario.switchml.slots) {
    return *scenario.switchml.slots;
  }
  const std::uint64_t jobs = std::max<std::size_t>(scenario.jobs.size(), 1);
  const auto share = scenario.switch_.memory_bytes / jobs / aggregator_bytes(scenario);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(share, 1, wire::kMaxSlots));
}

std::uint32_t initial_window(const Scenario& scenario) {
  if (scenario.system == System::switchml) {
    const std::uint32_t slots = slots_per_job(scenario);
    const std::uint32_t window = AtpScenario().initial_window_packets;
    return scenario.switchml.congestion_control ? std::min(window, slots) : slots;
  }
  return scenario.system == System::atp ? scenario.atp.initial_window_packets
                                        : scenario.dsa.initial_window_packets;
}

std::uint32_t max_window_packets(const Scenario& scenario) {
  return scenario.system == System::atp ? max_window_of(scenario.atp, scenario)
                                        : max_window_of(scenario.dsa, scenario);
}

}  // namespace ina::scenarios
