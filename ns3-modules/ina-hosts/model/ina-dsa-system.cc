/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-dsa-system.h"

#include "enum-accessor.h"
#include "ina-collision-policy.h"

#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "switch-models/programs/make_program.hpp"

#include "ns3/protocol-time.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaDsaSystem);

TypeId
InaDsaSystem::GetTypeId()
{
    const ina::DsaWorker::Config worker;
    const ina::DsaServer::Config server;
    static TypeId tid =
        AddAttributesOf(worker.window,
                        worker.addressing.scheme,
                        TypeId("ns3::InaDsaSystem")
                            .SetParent<InaHashedSystem>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaDsaSystem>())
            .AddAttribute("Policy",
                          "Who keeps an aggregator on a collision, with the policy's parameters: "
                          "name[parameter=value|parameter=value].",
                          InaCollisionPolicyValue(ina::policies::kDsaPolicy),
                          MakeInaCollisionPolicyAccessor(&InaDsaSystem::m_policy),
                          MakeInaCollisionPolicyChecker())
            .AddAttribute("JoinPriority",
                          "Whether a packet that is added up in its task's aggregator raises the "
                          "aggregator's priority to its own, or keeps what collisions left.",
                          EnumValue(static_cast<int>(ina::programs::JoinPriority::keep)),
                          MakeEnumAccessorOf<int>(&InaDsaSystem::SetJoinPriority,
                                                  &InaDsaSystem::GetJoinPriority),
                          MakeEnumCheckerOfPlaces(ina::programs::kJoinPriorityNames))
            .AddAttribute("CoinSeed",
                          "Seed of a policy that draws; AssignStreams() draws another one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&InaDsaSystem::m_coinSeed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReminderMinTimeout",
                          "The least time after which the server reminds of an entry.",
                          TimeValue(FromProtocol(server.reminder_min_timeout)),
                          MakeTimeAccessor(&InaDsaSystem::m_reminderMinTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("AggregatorExpiry",
                          "After which a packet takes another task's aggregator, with a policy "
                          "that never preempts.",
                          TimeValue(FromProtocol(ina::programs::kAggregatorExpiry)),
                          MakeTimeAccessor(&InaDsaSystem::m_aggregatorExpiry),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

ina::wire::Protocol
InaDsaSystem::Protocol() const
{
    return ina::wire::Protocol::dsa;
}

std::unique_ptr<ina::programs::SwitchProgram>
InaDsaSystem::MakeProgram(uint32_t, std::size_t carriedValues) const
{
    return ina::programs::make_dsa({.aggregators = m_aggregators,
                                    .width = carriedValues,
                                    .policy = m_policy,
                                    .policy_seed = m_coinSeed,
                                    .aggregator_expiry = ToProtocol(m_aggregatorExpiry),
                                    .join_priority = m_joinPriority});
}

int64_t
InaDsaSystem::AssignStreams(int64_t stream)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    m_coinSeed = random->GetInteger(0, std::numeric_limits<uint32_t>::max() - 1);
    return 1;
}

void
InaDsaSystem::SetJoinPriority(int join)
{
    m_joinPriority = static_cast<ina::programs::JoinPriority>(join);
}

int
InaDsaSystem::GetJoinPriority() const
{
    return static_cast<int>(m_joinPriority);
}

std::unique_ptr<ina::WorkerTransport>
InaDsaSystem::MakeTransport(const ina::WorkerIdentity& identity,
                            ina::ValuePool& pool,
                            ina::ResultSink& sink) const
{
    ina::DsaWorker::Config config;
    config.addressing = Addressing();
    config.window = Window();
    config.min_rto = ToProtocol(m_minRto);
    return std::make_unique<ina::DsaWorker>(identity, config, pool, sink);
}

std::unique_ptr<ina::ParameterServer>
InaDsaSystem::MakeServer(const ina::ServerIdentity& identity, ina::ValuePool& pool) const
{
    ina::DsaServer::Config config;
    config.reminder_min_timeout = ToProtocol(m_reminderMinTimeout);
    config.addressing = Addressing();
    return std::make_unique<ina::DsaServer>(identity, config, pool);
}

} // namespace ns3
