/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-sizes.h"

#include "scenario-fields.h"

#include "hw/protocol/transport/interface_queue.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/wire/frame.hpp"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::uint32_t STARVED_SLOTS = 166;
constexpr std::uint64_t VALUE_BYTES = 4;
constexpr double PS_PER_S = 1e12;
constexpr double BITS_PER_BYTE = 8;

/// From a worker to where its results come from and back, without queues: ATP's server, DSA's
/// switch. What DSA's workers have at a server waits for the server's link, which they share.
double
BaseRoundTripPs(const Scenario& scenario)
{
    const TopologyScenario& topology = scenario.topology;
    const auto link = static_cast<double>(topology.link.delay_ps);
    const auto pipeline = static_cast<double>(scenario.switch_.pipeline_latency_ps);
    if (scenario.system != System::atp)
    {
        return 2 * link + pipeline;
    }
    const auto uplink = static_cast<double>(topology.uplink.delay_ps);
    return 4 * link + 2 * pipeline + (topology.racks > 1 ? 2 * (uplink + pipeline) : 0);
}

template <typename Transport>
std::uint32_t
NetworkHolds(const Transport& transport, const Scenario& scenario)
{
    const LinkScenario& link = scenario.topology.link;
    const auto frame = static_cast<double>(FrameBytes(scenario));
    const auto lineBits = (frame + link.framing_bytes) * BITS_PER_BYTE;
    const auto onTheWay =
        static_cast<double>(link.rate_bps) * BaseRoundTripPs(scenario) / PS_PER_S / lineBits;
    // ATP's packets meet at the server's link; DSA's have links of their own.
    const auto queueBytes = scenario.system == System::atp
                                ? static_cast<double>(scenario.switch_.ecn_threshold_bytes)
                                : static_cast<double>(ina::kInterfaceQueueBytes);
    const auto queued = queueBytes / frame;
    const auto least = static_cast<double>(transport.initial_window_packets);
    return static_cast<std::uint32_t>(
        std::max(least, std::min<double>(onTheWay + queued, MAX_WINDOW)));
}

template <typename Transport>
std::uint32_t
MaxWindowOf(const Transport& transport, const Scenario& scenario)
{
    return transport.max_window_packets.value_or(NetworkHolds(transport, scenario));
}

template <typename Transport>
std::uint32_t
TableEntriesOf(const Transport& transport, const Scenario& scenario)
{
    if (transport.table_entries)
    {
        return *transport.table_entries;
    }
    const std::uint32_t most = transport.congestion_control ? MaxWindowOf(transport, scenario)
                                                            : transport.initial_window_packets;
    const std::uint32_t window = most != 0 ? most : NetworkHolds(transport, scenario);
    return std::min(2 * window, MAX_WINDOW);
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

std::uint32_t
ExponentSlots(const Scenario& scenario)
{
    const bool inBlocks = IsSwitchml(scenario) &&
                          scenario.switchml.quantisation == Quantisation::block_floating_point;
    return inBlocks ? SlotsPerJob(scenario) : 0;
}

std::uint64_t
FragmentsOf(const Scenario& scenario, const ModelProfile& profile)
{
    const std::uint64_t valuesPerPacket = ValuesPerPacket(scenario);
    const std::uint32_t exponentSlots = ExponentSlots(scenario);
    const auto fragments = [=](std::uint64_t bytes)
    {
        const auto withValues = (bytes / VALUE_BYTES + valuesPerPacket - 1) / valuesPerPacket;
        return withValues + ina::exponent_lead_of(withValues, exponentSlots);
    };
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
    return scenario.system == System::atp ? TableEntriesOf(scenario.atp, scenario)
                                          : TableEntriesOf(scenario.dsa, scenario);
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

std::uint32_t
MaxWindowPackets(const Scenario& scenario)
{
    return scenario.system == System::atp ? MaxWindowOf(scenario.atp, scenario)
                                          : MaxWindowOf(scenario.dsa, scenario);
}

} // namespace ns3
