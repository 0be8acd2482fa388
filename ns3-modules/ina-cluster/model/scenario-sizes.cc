/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-sizes.h"

#include "hw/protocol/wire/frame.hpp"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr std::uint32_t STARVED_SLOTS = 166;
constexpr std::uint64_t VALUE_BYTES = 4;
constexpr double MOST_ENTRIES = 1e6; // as many as the key allows
constexpr std::uint64_t PS_PER_SECOND = 1'000'000'000'000;

/// Picoseconds from a worker to its parameter server and back, of one packet and its result.
std::uint64_t
RoundTrip(const Scenario& scenario)
{
    const TopologyScenario& topology = scenario.topology;
    const auto frame = FrameBytes(scenario);
    const auto hop = [frame](const LinkScenario& link)
    {
        const auto bits = 8 * (frame + link.framing_bytes);
        return static_cast<std::uint64_t>(link.delay_ps) + bits * PS_PER_SECOND / link.rate_bps;
    };
    const std::uint64_t switches = topology.racks > 1 ? 2 : 1;
    const auto latency = static_cast<std::uint64_t>(scenario.switch_.pipeline_latency_ps);
    return 2 *
           (2 * hop(topology.link) + (switches - 1) * hop(topology.uplink) + switches * latency);
}

template <typename Transport>
std::uint32_t
TableEntriesOf(const Scenario& scenario, const Transport& transport)
{
    if (transport.table_entries)
    {
        return *transport.table_entries;
    }
    if (!transport.congestion_control)
    {
        return transport.initial_window_packets;
    }
    if (transport.max_window_packets != 0)
    {
        return transport.max_window_packets;
    }
    const LinkScenario& link = scenario.topology.link;
    const auto frame = FrameBytes(scenario);
    // In floating point: a link may have any rate and delay.
    const double inFlight = static_cast<double>(RoundTrip(scenario)) / PS_PER_SECOND *
                            static_cast<double>(link.rate_bps) / 8 /
                            static_cast<double>(frame + link.framing_bytes);
    const double inQueue =
        static_cast<double>(scenario.switch_.ecn_threshold_bytes) / static_cast<double>(frame);
    return static_cast<std::uint32_t>(
        std::min<double>(std::ceil(inFlight + inQueue), MOST_ENTRIES));
}

} // namespace

bool
IsSwitchml(const Scenario& scenario)
{
    return scenario.system == System::switchml || scenario.system == System::switchml_starved;
}

ina::wire::Protocol
ProtocolOf(const Scenario& scenario)
{
    if (IsSwitchml(scenario))
    {
        return ina::wire::Protocol::switchml;
    }
    return scenario.system == System::atp ? ina::wire::Protocol::atp : ina::wire::Protocol::dsa;
}

std::uint32_t
ValuesPerPacket(const Scenario& scenario)
{
    return IsSwitchml(scenario) ? scenario.switchml.values_per_packet
                                : std::uint32_t{ina::wire::kFragmentValues};
}

std::uint64_t
FragmentsOf(const ModelProfile& profile, std::uint64_t valuesPerPacket)
{
    const auto fragments = [valuesPerPacket](std::uint64_t bytes)
    { return (bytes / VALUE_BYTES + valuesPerPacket - 1) / valuesPerPacket; };
    std::uint64_t total = 0;
    for (const auto& layer : profile.layers)
    {
        const auto bytes = layer.parameters * VALUE_BYTES;
        total += bytes / profile.partition_bytes * fragments(profile.partition_bytes) +
                 fragments(bytes % profile.partition_bytes);
    }
    return total;
}

std::uint64_t
FrameBytes(const Scenario& scenario)
{
    return ina::frame_bytes(ProtocolOf(scenario), ValuesPerPacket(scenario));
}

std::uint64_t
AggregatorBytes(const Scenario& scenario)
{
    const std::uint64_t copies = IsSwitchml(scenario) ? 2 : 1;
    return copies * VALUE_BYTES * ValuesPerPacket(scenario);
}

std::uint16_t
RackOfHost(const TopologyScenario& topology, std::uint32_t host)
{
    return static_cast<std::uint16_t>(host * topology.racks / topology.hosts);
}

std::uint32_t
Aggregators(const Scenario& scenario)
{
    return static_cast<std::uint32_t>(scenario.switch_.memory_bytes / AggregatorBytes(scenario));
}

std::uint32_t
TableEntries(const Scenario& scenario)
{
    return scenario.system == System::atp ? TableEntriesOf(scenario, scenario.atp)
                                          : TableEntriesOf(scenario, scenario.dsa);
}

std::uint32_t
SlotsPerJob(const Scenario& scenario)
{
    if (scenario.switchml.slots)
    {
        return *scenario.switchml.slots;
    }
    if (scenario.system == System::switchml_starved)
    {
        return STARVED_SLOTS;
    }
    const std::uint64_t jobs = std::max<std::size_t>(scenario.jobs.size(), 1);
    const auto share = scenario.switch_.memory_bytes / jobs / AggregatorBytes(scenario);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(share, 1, ina::wire::kMaxSlots));
}

std::uint32_t
InitialWindow(const Scenario& scenario)
{
    if (IsSwitchml(scenario))
    {
        const std::uint32_t slots = SlotsPerJob(scenario);
        const std::uint32_t window = AtpScenario().initial_window_packets;
        return scenario.switchml.congestion_control ? std::min(window, slots) : slots;
    }
    return scenario.system == System::atp ? scenario.atp.initial_window_packets
                                          : scenario.dsa.initial_window_packets;
}

} // namespace ns3
