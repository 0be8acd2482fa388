/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/ina-channel.h"
#include "ns3/ina-net-device.h"
#include "ns3/ina-switch.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include "cluster-test-support.h"

#include <gtest/gtest.h>

namespace ns3
{

using namespace ina::scenarios;
using ina::systems::Atp;
using ina::systems::Dsa;
using ina::systems::Switchml;

namespace
{

/// The windows in the protocol code fill the scenarios' default network if its links are equal.
TEST(ScenarioDefaults, AreThoseOfTheProtocolCode)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.system = system_called("atp");
    const Scenario ofAtp = WithSizes(scenario);
    EXPECT_EQ(ofAtp.of<Atp>().worker.window.max_packets,
              ina::AtpWorker::Config().window.max_packets);
    scenario.system = system_called("dsa");
    const Scenario ofDsa = WithSizes(scenario);
    EXPECT_EQ(ofDsa.of<Dsa>().worker.window.max_packets,
              ina::DsaWorker::Config().window.max_packets);
}

TEST(ScenarioDefaults, AreThoseOfASystemsEnvironment)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.system = system_called("dsa");
    const auto ofScenario = environment_of(scenario, Network(scenario.topology, scenario.seed));
    const ina::cluster::Environment defaults;
    EXPECT_EQ(ofScenario.aggregators, defaults.aggregators);
    EXPECT_EQ(ofScenario.hash, defaults.hash);
    EXPECT_EQ(ofScenario.line_rate_bps, defaults.line_rate_bps);
    EXPECT_EQ(ofScenario.framing_bytes, defaults.framing_bytes);
    EXPECT_EQ(ofScenario.to_switch_and_back, defaults.to_switch_and_back);
    EXPECT_EQ(ofScenario.to_server_and_back, defaults.to_server_and_back);
    EXPECT_EQ(ofScenario.ecn_threshold_bytes, defaults.ecn_threshold_bytes);
    EXPECT_EQ(ofScenario.seed, defaults.seed);
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
    const auto inaSwitch = CreateObject<InaSwitch>();
    EXPECT_EQ(number(*inaSwitch, "BufferSize"), scenario.switch_.buffer_bytes);
    EXPECT_EQ(number(*inaSwitch, "EcnThreshold"), scenario.switch_.ecn_threshold_bytes);
    EXPECT_EQ(time(*inaSwitch, "PipelineLatency"), scenario.switch_.pipeline_latency_ps);
    EXPECT_EQ(time(*inaSwitch, "PassLatency"), scenario.switch_.pass_latency_ps);
    EXPECT_EQ(rate(*inaSwitch, "ResubmitBandwidth"), scenario.switch_.resubmit_bandwidth_bps);
    BooleanValue chargePasses;
    inaSwitch->GetAttribute("ChargePasses", chargePasses);
    EXPECT_EQ(chargePasses.Get(), scenario.switch_.passes == Passes::charged);
    EXPECT_EQ(rate(*inaSwitch, "RecirculateBandwidth"), scenario.switch_.recirculate_bandwidth_bps);
    const auto device = CreateObject<InaNetDevice>();
    EXPECT_EQ(rate(*device, "DataRate"), scenario.topology.link.rate_bps);
    EXPECT_EQ(number(*device, "FramingBytes"), scenario.topology.link.framing_bytes);
    EXPECT_EQ(time(*CreateObject<InaChannel>(), "Delay"), scenario.topology.link.delay_ps);
}

TEST(ScenarioSizes, AnAggregatorIsThePapers248BytesAndASlotHasAShadowCopy)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.jobs.resize(8);
    scenario.system = system_called("dsa");
    EXPECT_EQ(scenario.switches().aggregator_bytes(), 248U);
    EXPECT_EQ(scenario.hosts().frame_bytes(), 306U);
    EXPECT_EQ(aggregators_in_memory(scenario), 20161U);
    scenario.system = system_called("switchml");
    EXPECT_EQ(scenario.switches().aggregator_bytes(), 2U * 4 * 32);
    EXPECT_EQ(scenario.hosts().frame_bytes(), 180U);
}

/** 5 us at 100 Gbps are 347 packets of 180 bytes; four more are on the lines. */
TEST(ScenarioSizes, SwitchmlsSlotsFillTheLineUnlessTheScenarioSaysHowMany)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.jobs.resize(8);
    scenario.system = system_called("switchml");
    const auto slots = [&scenario] { return WithSizes(scenario).of<Switchml>().slots; };
    EXPECT_EQ(slots(), 512U);
    scenario.topology.link.rate_bps = 10'000'000'000;
    EXPECT_EQ(slots(), 64U); // 35 plus four
    scenario.topology.link.delay_ps = 100'000'000;
    EXPECT_EQ(slots(), 2048U); // 1389 plus four
    scenario.switch_.memory_bytes = 8 * 256 * 1000;
    EXPECT_EQ(slots(), 1000U); // an even share of the memory
    scenario.of<Switchml>().slots = 166;
    EXPECT_EQ(slots(), 166U);
}

/** Two racks with uplinks of 100 Mbps, on which a packet takes 14.4 us. */
Scenario
SwitchmlInTwoRacks(uint32_t hostsPerRack)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.jobs.resize(1);
    scenario.jobs[0].workers = 8;
    scenario.system = system_called("switchml");
    scenario.topology.type = ina::scenarios::TopologyType::leaf_spine;
    scenario.topology.racks = 2;
    scenario.topology.hosts_per_rack = hostsPerRack;
    scenario.topology.uplink.rate_bps = 100'000'000;
    return scenario;
}

TEST(ScenarioSizes, SwitchmlsSlotsAreAtMostWhatTheSlowestLinkSendsWithinHalfOfATimeOut)
{
    Scenario scenario = SwitchmlInTwoRacks(4);
    const auto slots = [&scenario] { return WithSizes(scenario).of<Switchml>().slots; };
    EXPECT_EQ(slots(), 34U); // in 500 us
    scenario.of<Switchml>().rto = std::chrono::milliseconds(4);
    EXPECT_EQ(slots(), 138U);
    scenario.topology.link.rate_bps = 100'000'000;
    EXPECT_EQ(slots(), 8U); // 0.7 plus four fill a line
}

TEST(ScenarioSizes, SwitchmlsSlotsShareTheSlowestLinkAmongTheSumsThatItCarries)
{
    Scenario scenario = SwitchmlInTwoRacks(4);
    const auto slots = [&scenario] { return WithSizes(scenario).of<Switchml>().slots; };
    scenario.topology.racks = 4;
    scenario.topology.hosts_per_rack = 8;
    scenario.topology.placement = ina::scenarios::Placement::spread;
    scenario.jobs[0].workers = 16;
    EXPECT_EQ(slots(), 34U); // each rack has an uplink to a spine
    scenario.topology.root = ina::cluster::RootChoice::server_leaf;
    EXPECT_EQ(slots(), 11U); // one leaf receives three sums
    scenario.jobs.resize(2, scenario.jobs[0]);
    EXPECT_EQ(slots(), 5U);
}

TEST(ScenarioSizes, SwitchmlsSlotsKnowNothingOfLinksThatNoWorkerUses)
{
    Scenario scenario = SwitchmlInTwoRacks(8);
    const auto slots = [&scenario] { return WithSizes(scenario).of<Switchml>().slots; };
    const auto besideSlowUplinks = slots();
    scenario.topology.uplink.rate_bps = scenario.topology.link.rate_bps;
    EXPECT_EQ(slots(), besideSlowUplinks);
    EXPECT_GT(*besideSlowUplinks, 256U);
}

/** Results of 256 values take 10 further passes of 0.4 us each. */
TEST(ScenarioSizes, SwitchmlsSlotsFillTheLineWhilePassesTakeTime)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.jobs.resize(1);
    scenario.system = system_called("switchml");
    scenario.of<Switchml>().values = 256;
    const auto slots = [&scenario] { return WithSizes(scenario).of<Switchml>().slots; };
    EXPECT_EQ(slots(), 64U); // 58.1 plus four
    scenario.switch_.passes = Passes::charged;
    EXPECT_EQ(slots(), 128U); // 104.6 plus four
}

TEST(ScenarioSizes, SwitchmlsSlotsMayBeAnEvenShareOfTheMemory)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.jobs.resize(8);
    scenario.system = system_called("switchml");
    scenario.of<Switchml>().even_share = true;
    EXPECT_EQ(WithSizes(scenario).of<Switchml>().slots, 5'000'000U / 8 / 256);
}

TEST(ScenarioSizes, ATableHasTwiceAsManyEntriesAsPacketsMayBeInFlight)
{
    Scenario scenario = DefaultsWithEqualLinks();
    scenario.system = system_called("atp");
    const auto entries = [&scenario]
    { return WithSizes(scenario).of<Atp>().worker.addressing.table_entries; };
    EXPECT_EQ(entries(), 2 * WithSizes(scenario).of<Atp>().worker.window.max_packets);
    scenario.of<Atp>().worker.window.enabled = false;
    EXPECT_EQ(entries(), 2 * scenario.of<Atp>().worker.window.initial_packets);
    scenario.of<Atp>().table_entries = 7;
    EXPECT_EQ(entries(), 7U);
}

} // namespace
} // namespace ns3
