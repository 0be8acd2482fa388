/* SPDX-License-Identifier: GPL-2.0-only */
#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "switch-models/programs/make_program.hpp"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/ina-switch.h"
#include "ns3/lean-channel.h"
#include "ns3/lean-net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"
#include "scenarios/reader/scenario.hpp"
#include "scenarios/reader/scenario_sizes.hpp"

#include <gtest/gtest.h>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

TEST(ScenarioDefaults, AreThoseOfTheProtocolCode)
{
    const ina::SwitchmlWorker::Config switchml;
    const ina::AtpWorker::Config atp;
    const ina::DsaWorker::Config dsa;
    Scenario scenario;
    EXPECT_EQ(scenario.switchml.values_per_packet, switchml.values_per_packet);
    EXPECT_EQ(ina::Time(scenario.switchml.rto_ps.value()), switchml.rto);
    EXPECT_EQ(scenario.switchml.rto_ps.has_value(), !switchml.adaptive_rto);
    EXPECT_EQ(ina::Time(scenario.switchml.min_rto_ps), atp.min_rto);
    EXPECT_EQ(scenario.switchml.congestion_control, switchml.congestion_control.has_value());
    EXPECT_EQ(scenario.atp.initial_window_packets, atp.window.initial_packets);
    scenario.system = System::atp;
    EXPECT_EQ(max_window_packets(scenario), atp.window.max_packets);
    EXPECT_EQ(scenario.atp.congestion_control, atp.window.enabled);
    EXPECT_EQ(ina::Time(scenario.atp.min_rto_ps), atp.min_rto);
    const ina::AtpServer::Config atpServer;
    EXPECT_EQ(scenario.atp.rehash, atpServer.addressing.rehash);
    EXPECT_EQ(scenario.switch_.hash, atp.addressing.hash);
    EXPECT_EQ(scenario.switch_.hash, atpServer.addressing.hash);
    EXPECT_EQ(scenario.switch_.hash, dsa.addressing.hash);
    EXPECT_EQ(scenario.switch_.hash, ina::DsaServer::Config().addressing.hash);
    EXPECT_EQ(scenario.atp.addressing, atp.addressing.scheme);
    EXPECT_EQ(scenario.atp.addressing, atpServer.addressing.scheme);
    EXPECT_EQ(scenario.dsa.addressing, dsa.addressing.scheme);
    EXPECT_EQ(scenario.dsa.addressing, ina::DsaServer::Config().addressing.scheme);
    EXPECT_EQ(scenario.atp.kept_results, atpServer.kept_results);
    EXPECT_EQ(ina::Time(scenario.atp.request_timeout_ps), atpServer.request_timeout);
    EXPECT_EQ(ina::Time(scenario.atp.aggregator_expiry_ps),
              ina::programs::AtpConfig().aggregator_expiry);
    EXPECT_EQ(scenario.dsa.initial_window_packets, dsa.window.initial_packets);
    scenario.system = System::dsa;
    EXPECT_EQ(max_window_packets(scenario), dsa.window.max_packets);
    EXPECT_EQ(scenario.dsa.congestion_control, dsa.window.enabled);
    EXPECT_EQ(ina::Time(scenario.dsa.min_rto_ps), dsa.min_rto);
    EXPECT_EQ(ina::Time(scenario.dsa.reminder_min_timeout_ps),
              ina::DsaServer::Config().reminder_min_timeout);
    EXPECT_EQ(ina::Time(scenario.dsa.aggregator_expiry_ps), ina::programs::kAggregatorExpiry);
    EXPECT_EQ(scenario.dsa.join_priority, ina::programs::DsaConfig().join_priority);
}

TEST(ScenarioDefaults, AreThoseOfTheNetworksAttributes)
{
    const Scenario scenario;
    const auto number = [](const Object& object, const char* name)
    {
        UintegerValue value;
        object.GetAttribute(name, value);
        return value.Get();
    };
    const auto time = [](const Object& object, const char* name)
    {
        TimeValue value;
        object.GetAttribute(name, value);
        return value.Get().GetPicoSeconds();
    };
    const auto rate = [](const Object& object, const char* name)
    {
        DataRateValue value;
        object.GetAttribute(name, value);
        return value.Get().GetBitRate();
    };
    const auto fabric = CreateObject<InaSwitch>();
    EXPECT_EQ(number(*fabric, "BufferSize"), scenario.switch_.buffer_bytes);
    EXPECT_EQ(number(*fabric, "EcnThreshold"), scenario.switch_.ecn_threshold_bytes);
    EXPECT_EQ(time(*fabric, "PipelineLatency"), scenario.switch_.pipeline_latency_ps);
    EXPECT_EQ(time(*fabric, "PassLatency"), scenario.switch_.pass_latency_ps);
    EXPECT_EQ(rate(*fabric, "ResubmitBandwidth"), scenario.switch_.resubmit_bandwidth_bps);
    BooleanValue chargePasses;
    fabric->GetAttribute("ChargePasses", chargePasses);
    EXPECT_EQ(chargePasses.Get(), scenario.switch_.charge_passes);
    EXPECT_EQ(rate(*fabric, "RecirculateBandwidth"), scenario.switch_.recirculate_bandwidth_bps);
    const auto device = CreateObject<LeanNetDevice>();
    EXPECT_EQ(rate(*device, "DataRate"), scenario.topology.link.rate_bps);
    EXPECT_EQ(number(*device, "FramingBytes"), scenario.topology.link.framing_bytes);
    EXPECT_EQ(time(*CreateObject<LeanChannel>(), "Delay"), scenario.topology.link.delay_ps);
}

TEST(ScenarioSizes, AnAggregatorIsThePapers248BytesAndASlotHasAShadowCopy)
{
    Scenario scenario;
    scenario.jobs.resize(8);
    scenario.system = System::dsa;
    EXPECT_EQ(aggregator_bytes(scenario), 248U);
    EXPECT_EQ(frame_bytes(scenario), 306U);
    EXPECT_EQ(aggregators(scenario), 20161U);
    scenario.system = System::switchml;
    EXPECT_EQ(aggregator_bytes(scenario), 2U * 4 * 32);
    EXPECT_EQ(frame_bytes(scenario), 180U);
    EXPECT_EQ(slots_per_job(scenario), 5'000'000U / 8 / 256);
    scenario.switchml.slots = 166;
    EXPECT_EQ(slots_per_job(scenario), 166U);
}

TEST(ScenarioSizes, ATableHasTwiceAsManyEntriesAsPacketsMayBeInFlight)
{
    Scenario scenario;
    scenario.system = System::atp;
    EXPECT_EQ(table_entries(scenario), 2 * max_window_packets(scenario));
    scenario.atp.congestion_control = false;
    EXPECT_EQ(table_entries(scenario), 2 * scenario.atp.initial_window_packets);
    scenario.atp.table_entries = 7;
    EXPECT_EQ(table_entries(scenario), 7U);
}

} // namespace
} // namespace ns3
