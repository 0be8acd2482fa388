/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "hosts-test-support.h"

#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "switch-models/policies/all.hpp"
#include "tests/support/seen_collision.hpp"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/ina-collision-policy.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/ina-system-of.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

constexpr uint16_t WORKERS = 2;
constexpr ina::HostId SERVER = 9;

/** State of a worker of the system after the submission of a long tensor. */
class StartedWorker
{
  public:
    explicit StartedWorker(const InaSystem& system) :
        m_transport(system.MakeTransport({0, 0, WORKERS, 0, SERVER}, m_pool, m_sink))
    {
        ina::Tensor tensor;
        tensor.fragments = 100000;
        tensor.source = &m_source;
        m_transport->submit(tensor, ina::Time(0));
        for (ina::Frame frame; m_transport->next(frame, ina::Time(0));)
        {
            ++m_sent;
            m_size = frame.bytes;
            if (const auto* const fields = std::get_if<ina::AggregatorFields>(&frame.fields))
            {
                m_largestIndex = std::max(m_largestIndex, fields->index);
            }
        }
    }

    ina::ValuePool m_pool{0};
    NoSink m_sink;
    NoSource m_source;
    std::unique_ptr<ina::WorkerTransport> m_transport;
    uint32_t m_sent{0};
    uint32_t m_size{0};
    uint32_t m_largestIndex{0};
};

ina::Frame
Gradient(ina::Psn psn, uint16_t rank, uint16_t priority = 0)
{
    ina::Frame frame;
    frame.kind = ina::FrameKind::gradient;
    frame.psn = psn;
    frame.worker = rank;
    frame.aggregator().bitmap0 = 1U << rank;
    frame.aggregator().fan_in_degree0 = WORKERS;
    frame.destination = SERVER;
    frame.aggregator().priority = priority;
    return frame;
}

template <typename Value>
auto
AttributeOf(const Ptr<InaSystem>& system, const std::string& name)
{
    Value value;
    system->GetAttribute(name, value);
    return value.Get();
}

Ptr<InaSystem>
Create(const std::string& name)
{
    return ObjectFactory("ns3::Ina" + name + "System").Create<InaSystem>();
}

TEST(InaSystem, EverySystemOfTheListIsAType)
{
    ina::systems::for_each_system(
        [](ina::cluster::SystemId id)
        {
            const std::string name = InaAttributeNameOf(ina::cluster::name_of(id));
            EXPECT_EQ(Create(name)->GetFormat(), ina::cluster::traits_of(id).format) << name;
        });
}

/// A visitor that records the attributes of keys. A key with a derived default has two attributes.
struct Keys
{
    template <typename... Rest>
    void
    time_or(std::string_view word, std::string_view key, const Rest&...)
    {
        attributes.push_back(InaAttributeNameOf(key));
        attributes.push_back(InaAttributeNameOf(word) + InaAttributeNameOf(key));
    }

    template <typename... Rest>
    void
    integer_or(std::string_view word, std::string_view key, const Rest&... rest)
    {
        time_or(word, key, rest...);
    }

    template <typename... Rest>
    void
    integer(std::string_view key, const Rest&...)
    {
        attributes.push_back(InaAttributeNameOf(key));
    }

#define INA_SAME_AS_INTEGER(kind)                                                                  \
    template <typename... Rest>                                                                    \
    void kind(std::string_view key, const Rest&...)                                                \
    {                                                                                              \
        attributes.push_back(InaAttributeNameOf(key));                                             \
    }
    INA_SAME_AS_INTEGER(one_of)
    INA_SAME_AS_INTEGER(boolean)
    INA_SAME_AS_INTEGER(probability)
    INA_SAME_AS_INTEGER(time)
    INA_SAME_AS_INTEGER(choice)
    INA_SAME_AS_INTEGER(named)
#undef INA_SAME_AS_INTEGER

    std::vector<std::string> attributes;
};

TEST(InaSystem, EveryKeyOfAScenarioIsAnAttribute)
{
    ina::systems::Settings settings;
    ina::systems::for_each_system(
        [&settings](ina::cluster::SystemId id)
        {
            Keys keys;
            settings.with(id, [&keys](auto& ofSystem) { ofSystem.visit(keys, ofSystem); });
            const auto system = Create(InaAttributeNameOf(ina::cluster::name_of(id)));
            EXPECT_EQ(system->GetInstanceTypeId().GetAttributeN(), keys.attributes.size());
            for (const std::string& name : keys.attributes)
            {
                StringValue value;
                EXPECT_TRUE(system->GetAttributeFailSafe(name, value)) << name;
            }
        });
}

TEST(InaSystem, AttributesBeginWithTheDefaultsOfTheProtocolCode)
{
    const auto time = [](const Ptr<InaSystem>& system, const std::string& name)
    { return InaToProtocol(AttributeOf<TimeValue>(system, name)); };
    const auto number = [](const Ptr<InaSystem>& system, const std::string& name)
    { return AttributeOf<UintegerValue>(system, name); };
    const ina::SwitchmlWorker::Config switchmlWorker;
    const auto switchml = Create("Switchml");
    EXPECT_EQ(number(switchml, "ValuesPerPacket"), switchmlWorker.values_per_packet);
    EXPECT_EQ(time(switchml, "Rto"), ina::Time::zero()) << "by default";
    EXPECT_EQ(AttributeOf<BooleanValue>(switchml, "AdaptiveRto"), switchmlWorker.adaptive_rto);
    const ina::DsaWorker::Config dsaWorker;
    const auto dsa = Create("Dsa");
    EXPECT_EQ(number(dsa, "InitialWindowPackets"), dsaWorker.window.initial_packets);
    EXPECT_EQ(AttributeOf<BooleanValue>(dsa, "CongestionControl"), dsaWorker.window.enabled);
    EXPECT_EQ(time(dsa, "MinRto"), dsaWorker.min_rto);
    EXPECT_EQ(AttributeOf<StringValue>(dsa, "Addressing"), name_of(dsaWorker.addressing.scheme));
    EXPECT_EQ(AttributeOf<StringValue>(dsa, "Hash"), name_of(dsaWorker.addressing.hash));
}

TEST(InaSystem, AValueOutOfAKeysRangeIsRefused)
{
    EXPECT_FALSE(Create("Switchml")->SetAttributeFailSafe("ValuesPerPacket", UintegerValue(33)));
    EXPECT_TRUE(Create("Switchml")->SetAttributeFailSafe("ValuesPerPacket", UintegerValue(64)));
    EXPECT_FALSE(Create("Dsa")->SetAttributeFailSafe("MinRto", TimeValue(NanoSeconds(999))));
    EXPECT_FALSE(Create("Dsa")->SetAttributeFailSafe("InitialWindowPackets", UintegerValue(0)));
    EXPECT_FALSE(Create("Atp")->SetAttributeFailSafe("Overflow", DoubleValue(1.1)));
}

TEST(InaSystem, DefaultsSetByConfigReachWhatIsMade)
{
    Config::SetDefault("ns3::InaAtpSystem::InitialWindowPackets", UintegerValue(17));
    Config::SetDefault("ns3::InaSystem::Aggregators", UintegerValue(19));
    const auto atp = Create("Atp");
    Config::Reset();
    const StartedWorker worker(*atp);
    EXPECT_EQ(worker.m_sent, 17U);
    EXPECT_LT(worker.m_largestIndex, 19U);
}

TEST(InaSystem, AFactoryMakesASystemByItsName)
{
    ObjectFactory factory("ns3::InaSwitchmlSystem",
                          "Slots",
                          UintegerValue(7),
                          "ValuesPerPacket",
                          UintegerValue(64));
    const auto system = factory.Create<InaSystem>();
    const StartedWorker worker(*system);
    EXPECT_EQ(worker.m_sent, 7U);
    EXPECT_EQ(worker.m_size, 308U);
    const ina::programs::JobEntry entry = system->MakeJobEntry(3, WORKERS, SERVER);
    EXPECT_EQ(entry.first_slot, 21U);
    EXPECT_EQ(entry.slots, 7U);
    EXPECT_EQ(system->MakeServer({0, WORKERS, SERVER, 1}, *std::make_unique<ina::ValuePool>(0)),
              nullptr);
}

/// Headers can encode 32 workers at an aggregating switch, and 1024 if switches only forward.
TEST(InaSystem, RefusesWhatTheHeadersCannotName)
{
    ina::ValuePool pool(0);
    NoSink sink;
    ina::systems::for_each_system(
        [&](ina::cluster::SystemId id)
        {
            const auto name = ina::cluster::name_of(id);
            const auto system = Create(InaAttributeNameOf(name));
            const bool addsUp = ina::cluster::traits_of(id).has_aggregators;
            const uint16_t most = addsUp ? 32 : 1024;
            const uint16_t tooMany = most + 1;
            const uint16_t last = most - 1;
            const std::vector<ina::HostId> members(most, 1);
            EXPECT_NO_THROW(system->MakeJobEntry(0, most, SERVER)) << name;
            EXPECT_NO_THROW(system->MakeTransport(
                {.rank = last, .workers = most, .servers = SERVER, .members = members},
                pool,
                sink))
                << name;
            if (!addsUp)
            {
                EXPECT_THROW((ina::WorkerIdentity{.workers = tooMany, .servers = SERVER}),
                             std::length_error);
                return;
            }
            EXPECT_DEATH(system->MakeTransport({.workers = tooMany, .servers = SERVER}, pool, sink),
                         "more than 32 workers at one switch")
                << name;
            EXPECT_DEATH(system->MakeServer({.workers = tooMany}, pool),
                         "more than 32 workers at one switch")
                << name;
            EXPECT_DEATH(system->MakeJobEntry(0, tooMany, SERVER), "33 workers at a switch")
                << name;
        });
}

TEST(InaSystem, RefusesAJobThatTheHeadersCannotName)
{
    ina::ValuePool pool(0);
    NoSink sink;
    const auto switchml = Create("Switchml");
    const ina::WorkerIdentity last{.job = ina::wire::kMaxJobs - 1,
                                   .workers = WORKERS,
                                   .servers = {}};
    const ina::WorkerIdentity next{.job = ina::wire::kMaxJobs, .workers = WORKERS, .servers = {}};
    EXPECT_NO_THROW(switchml->MakeTransport(last, pool, sink));
    EXPECT_DEATH(switchml->MakeTransport(next, pool, sink), "found job [0-9]+; allowed: below");
}

TEST(InaSystem, SwitchmlHasAtpsWindowIfTheAttributeSaysSo)
{
    const auto sent = [](bool congestionControl)
    {
        const auto switchml = Create("Switchml");
        switchml->SetAttribute("CongestionControl", BooleanValue(congestionControl));
        switchml->SetAttribute("Slots", UintegerValue(512));
        return StartedWorker(*switchml).m_sent;
    };
    EXPECT_EQ(sent(false), 512U);
    EXPECT_EQ(sent(true), ina::CongestionWindow::Config().initial_packets);
}

TEST(InaSystem, TimeOutsAreThoseOfTheAttributes)
{
    const auto at = [](const char* type, const char* name)
    {
        const auto system = ObjectFactory(type).Create<InaSystem>();
        system->SetAttribute(name, TimeValue(MicroSeconds(250)));
        return StartedWorker(*system).m_transport->deadline();
    };
    EXPECT_EQ(at("ns3::InaSwitchmlSystem", "Rto"), std::chrono::microseconds(250));
    EXPECT_EQ(at("ns3::InaAtpSystem", "MinRto"), std::chrono::microseconds(250));
    EXPECT_EQ(at("ns3::InaDsaSystem", "MinRto"), std::chrono::microseconds(250));
}

TEST(InaSystem, TheServerRemindsOrAsksAfterTheAttributesTime)
{
    const auto at = [](const char* type, const char* name)
    {
        const auto system = ObjectFactory(type).Create<InaSystem>();
        system->SetAttribute(name, TimeValue(MicroSeconds(30)));
        ina::ValuePool pool(0);
        const auto server = system->MakeServer({0, WORKERS, SERVER, 10}, pool);
        server->receive(Gradient(4, 0), ina::Time(0));
        return server->deadline();
    };
    EXPECT_EQ(at("ns3::InaDsaSystem", "ReminderMinTimeout"), std::chrono::microseconds(30));
    EXPECT_EQ(at("ns3::InaAtpSystem", "RequestTimeout"), std::chrono::microseconds(30));
}

TEST(InaSystem, ATimeThatIsZeroIsTheDefaultAndABooleanIsTheWordInItsPlace)
{
    using std::chrono::microseconds;
    const auto dsa = Create("Dsa");
    const auto remindsAfter = [&dsa]
    {
        ina::ValuePool pool(0);
        const auto server = dsa->MakeServer({0, WORKERS, SERVER, 10}, pool);
        server->receive(Gradient(4, 0), ina::Time(0));
        return server->deadline();
    };
    EXPECT_EQ(remindsAfter(), microseconds(1000));
    dsa->SetAttribute("ReminderMinTimeout", TimeValue(MicroSeconds(30)));
    EXPECT_EQ(remindsAfter(), microseconds(30));
    dsa->SetAttribute("ReminderMinTimeout", TimeValue(Time(0)));
    EXPECT_EQ(remindsAfter(), microseconds(1000));
    EXPECT_FALSE(dsa->SetAttributeFailSafe("ReminderMinTimeout", TimeValue(NanoSeconds(999))));
    dsa->SetAttribute("AutoReminderMinTimeout", BooleanValue(true));
    EXPECT_GT(remindsAfter(), microseconds(30));
    EXPECT_LT(remindsAfter(), microseconds(200));
}

TEST(InaSystem, TheServerKeepsAsManyResultsAsTheAttributeSays)
{
    const auto answers = [](uint32_t kept)
    {
        const auto atp = Create("Atp");
        atp->SetAttribute("KeptResults", UintegerValue(kept));
        ina::ValuePool pool(0);
        const auto server = atp->MakeServer({0, WORKERS, SERVER, 10}, pool);
        for (const ina::Psn psn : {0U, 1U})
        {
            server->receive(Gradient(psn, 0), ina::Time(0));
            server->receive(Gradient(psn, 1), ina::Time(0));
        }
        ina::Frame out;
        while (server->next(out))
        {
        }
        ina::Frame again = Gradient(0, 0);
        again.set(ina::flag::resend);
        server->receive(again, ina::Time(0));
        return server->next(out);
    };
    EXPECT_TRUE(answers(2));
    EXPECT_FALSE(answers(1));
}

class DsaPolicy : public testing::TestWithParam<ina::policies::CollisionPolicy>
{
};

/// A packet collides with a task of equal priority at the only aggregator.
TEST_P(DsaPolicy, DecidesWhoKeepsAnAggregatorAtATie)
{
    constexpr uint64_t SEED = 5;
    constexpr uint16_t PRIORITY = 7;
    std::ostringstream text;
    text << GetParam();
    const std::string name = text.str();
    const auto dsa = Create("Dsa");
    dsa->SetAttribute("Aggregators", UintegerValue(1));
    dsa->SetAttribute("Policy", StringValue(name));
    dsa->SetAttribute("Seed", UintegerValue(SEED));
    StringValue found;
    dsa->GetAttribute("Policy", found);
    EXPECT_EQ(found.Get(), name);
    const auto program = dsa->MakeProgram(1, 0);
    program->install_job(0, dsa->MakeJobEntry(0, WORKERS, SERVER));
    ina::Frame first = Gradient(0, 0, PRIORITY);
    ina::Frame second = Gradient(1, 0, PRIORITY);
    program->process(first, ina::Time(0));
    program->process(second, ina::Time(0));
    const bool preempts = ina::policies::with_policy(
        GetParam(),
        SEED,
        [](auto policy)
        {
            const ina::testing::AnyCollision tie{{PRIORITY, PRIORITY, 0, 0},
                                                 {ina::policies::TaskOrder::newer},
                                                 {ina::Time(0)},
                                                 {1}};
            return policy.collide(ina::testing::seen_by<decltype(policy)>(tie)).preempt;
        });
    EXPECT_EQ(program->counters(0)[ina::programs::AggregatorEvent::preempted], preempts ? 1U : 0U);
}

TEST_P(DsaPolicy, HasParametersInTheAttribute)
{
    if (Time::GetResolution() != Time::PS) // ns-3 allows one change, and its default is too coarse
    {
        Time::SetResolution(Time::PS);
    }
    const auto dsa = Create("Dsa");
    for (const bool isHigh : {false, true})
    {
        auto policy = GetParam();
        ina::policies::for_each_parameter(policy,
                                          [isHigh](const auto& parameter, auto& value)
                                          { value = isHigh ? parameter.high : parameter.low; });
        std::ostringstream text;
        text << policy;
        dsa->SetAttribute("Policy", StringValue(text.str()));
        InaCollisionPolicyValue found;
        dsa->GetAttribute("Policy", found);
        EXPECT_EQ(found.Get(), policy) << text.str();
    }
    ina::policies::for_each_parameter(
        GetParam(),
        [&](const auto& parameter, auto)
        {
            const auto isRefused = [&](const std::string& value)
            {
                const auto text =
                    fmt::format("{}[{}={}]", name_of(GetParam()), parameter.name, value);
                EXPECT_FALSE(dsa->SetAttributeFailSafe("Policy", StringValue(text))) << text;
            };
            isRefused("");
            isRefused("abc");
            for (const std::int64_t value : {parameter.low - 1, parameter.high + 1})
            {
                const bool isTime = parameter.kind == ina::policies::Parameter::Kind::time;
                isRefused(std::to_string(value) + (isTime ? "ps" : ""));
            }
        });
}

INSTANTIATE_TEST_SUITE_P(Every,
                         DsaPolicy,
                         testing::ValuesIn(ina::policies::every_policy()),
                         [](const auto& info)
                         {
                             std::string name(name_of(info.param));
                             std::erase(name, '-');
                             return name;
                         });

TEST(DsaPolicies, NoOtherNameIsOne)
{
    const auto dsa = Create("Dsa");
    for (const char* text : {"no-such-policy", "[", "fcfs[", "fcfs[x=1]", "fcfs]", "Fcfs"})
    {
        EXPECT_FALSE(dsa->SetAttributeFailSafe("Policy", StringValue(text))) << text;
    }
    EXPECT_TRUE(dsa->SetAttributeFailSafe("Policy", StringValue("fcfs[]")));
}

TEST(DsaPolicies, TheCoinFallsBySeed)
{
    const auto preempted = [](uint64_t seed)
    {
        const auto dsa = Create("Dsa");
        dsa->SetAttribute("Aggregators", UintegerValue(1));
        dsa->SetAttribute("Policy", StringValue("coin-flip"));
        dsa->SetAttribute("Seed", UintegerValue(seed));
        const auto program = dsa->MakeProgram(1, 0);
        program->install_job(0, dsa->MakeJobEntry(0, WORKERS, SERVER));
        std::string decisions;
        for (ina::Psn psn = 0; psn < 64; ++psn)
        {
            ina::Frame frame = Gradient(psn, 0);
            const auto& counters = program->counters(0);
            const auto before = counters[ina::programs::AggregatorEvent::preempted];
            program->process(frame, ina::Time(0));
            decisions += counters[ina::programs::AggregatorEvent::preempted] > before ? "1" : "0";
        }
        return decisions;
    };
    EXPECT_EQ(preempted(1), preempted(1));
    EXPECT_NE(preempted(1), preempted(2));
}

TEST(DsaAssignStreams, DrawsTheCoinsSeedByStreamAndRun)
{
    const auto seed = [](int64_t stream, uint64_t run)
    {
        RngSeedManager::SetRun(run);
        const auto dsa = Create("Dsa");
        EXPECT_EQ(dsa->AssignStreams(stream), 1);
        RngSeedManager::SetRun(1);
        return AttributeOf<UintegerValue>(dsa, "Seed");
    };
    EXPECT_EQ(seed(5, 1), seed(5, 1));
    EXPECT_NE(seed(5, 1), seed(6, 1));
    EXPECT_NE(seed(5, 1), seed(5, 2));
}

} // namespace
} // namespace ns3
