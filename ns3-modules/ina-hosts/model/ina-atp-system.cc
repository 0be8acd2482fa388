/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-atp-system.h"

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "switch-models/programs/make_program.hpp"

#include "ns3/boolean.h"
#include "ns3/protocol-time.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaAtpSystem);

TypeId
InaAtpSystem::GetTypeId()
{
    const ina::AtpWorker::Config worker;
    const ina::AtpServer::Config server;
    const ina::programs::AtpConfig program;
    static TypeId tid =
        AddAttributesOf(worker.window,
                        worker.addressing.scheme,
                        TypeId("ns3::InaAtpSystem")
                            .SetParent<InaHashedSystem>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaAtpSystem>())
            .AddAttribute(
                "Rehash",
                "Whether a collision moves the packets that follow to another aggregator, with "
                "Addressing=hash.",
                BooleanValue(server.addressing.rehash),
                MakeBooleanAccessor(&InaAtpSystem::m_rehash),
                MakeBooleanChecker())
            .AddAttribute("KeptResults",
                          "The latest results that the server keeps for workers that lost theirs.",
                          UintegerValue(server.kept_results),
                          MakeUintegerAccessor(&InaAtpSystem::m_keptResults),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("RequestTimeout",
                          "After which the server asks the workers for what an entry lacks; "
                          "doubles until something new comes in.",
                          TimeValue(FromProtocol(server.request_timeout)),
                          MakeTimeAccessor(&InaAtpSystem::m_requestTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("AggregatorExpiry",
                          "After which a passing result frees another task's aggregator.",
                          TimeValue(FromProtocol(program.aggregator_expiry)),
                          MakeTimeAccessor(&InaAtpSystem::m_aggregatorExpiry),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

ina::wire::Protocol
InaAtpSystem::Protocol() const
{
    return ina::wire::Protocol::atp;
}

std::unique_ptr<ina::programs::SwitchProgram>
InaAtpSystem::MakeProgram(uint32_t, std::size_t carriedValues) const
{
    return ina::programs::make_atp({.aggregators = m_aggregators,
                                    .width = carriedValues,
                                    .aggregator_expiry = ToProtocol(m_aggregatorExpiry)});
}

std::unique_ptr<ina::WorkerTransport>
InaAtpSystem::MakeTransport(const ina::WorkerIdentity& identity,
                            ina::ValuePool& pool,
                            ina::ResultSink& sink) const
{
    ina::AtpWorker::Config config;
    config.addressing = Addressing();
    config.window = Window();
    config.min_rto = ToProtocol(m_minRto);
    return std::make_unique<ina::AtpWorker>(identity, config, pool, sink);
}

std::unique_ptr<ina::ParameterServer>
InaAtpSystem::MakeServer(const ina::ServerIdentity& identity, ina::ValuePool&) const
{
    ina::AtpServer::Config config;
    config.addressing = Addressing();
    config.addressing.rehash = m_rehash;
    config.kept_results = m_keptResults;
    config.request_timeout = ToProtocol(m_requestTimeout);
    return std::make_unique<ina::AtpServer>(identity, config);
}

} // namespace ns3
