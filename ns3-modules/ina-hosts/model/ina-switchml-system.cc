/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-switchml-system.h"

#include "hw/protocol/transport/switchml_worker.hpp"
#include "switch-models/programs/make_program.hpp"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/protocol-time.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaSwitchmlSystem);

TypeId
InaSwitchmlSystem::GetTypeId()
{
    const ina::SwitchmlWorker::Config defaults;
    static TypeId tid =
        TypeId("ns3::InaSwitchmlSystem")
            .SetParent<InaSystem>()
            .SetGroupName("Ina")
            .AddConstructor<InaSwitchmlSystem>()
            .AddAttribute("Slots",
                          "Slots of each job's pool.",
                          UintegerValue(defaults.slots),
                          MakeUintegerAccessor(&InaSwitchmlSystem::m_slots),
                          MakeUintegerChecker<uint32_t>(1, ina::wire::kMaxSlots))
            .AddAttribute("ValuesPerPacket",
                          "Values in a packet: 32, 64 or 256.",
                          UintegerValue(defaults.values_per_packet),
                          MakeUintegerAccessor(&InaSwitchmlSystem::m_valuesPerPacket),
                          MakeUintegerChecker<uint32_t>(32, 256))
            .AddAttribute(
                "Rto",
                "After which a worker sends a packet again; doubles with repeated expiry.",
                TimeValue(FromProtocol(defaults.rto)),
                MakeTimeAccessor(&InaSwitchmlSystem::m_rto),
                MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("AdaptiveRto",
                          "Whether the time-out follows round trips, with Rto as its lower bound, "
                          "as ATP's.",
                          BooleanValue(defaults.adaptive_rto),
                          MakeBooleanAccessor(&InaSwitchmlSystem::m_adaptiveRto),
                          MakeBooleanChecker())
            .AddAttribute("CongestionControl",
                          "Whether a worker has ATP's window, of at most as many packets as slots, "
                          "and sends again after three results out of order.",
                          BooleanValue(defaults.congestion_control.has_value()),
                          MakeBooleanAccessor(&InaSwitchmlSystem::m_congestionControl),
                          MakeBooleanChecker())
            .AddAttribute("InitialWindow",
                          "Of packets in flight at first, with CongestionControl.",
                          UintegerValue(ina::CongestionWindow::Config().initial_packets),
                          MakeUintegerAccessor(&InaSwitchmlSystem::m_initialWindow),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("BlockFloatingPoint",
                          "Whether each fragment is quantised by an exponent of its own, which "
                          "workers agree on a packet ahead.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&InaSwitchmlSystem::m_blockFloatingPoint),
                          MakeBooleanChecker());
    return tid;
}

ina::wire::Protocol
InaSwitchmlSystem::Protocol() const
{
    return ina::wire::Protocol::switchml;
}

uint32_t
InaSwitchmlSystem::ValuesPerPacket() const
{
    NS_ABORT_MSG_IF(std::ranges::find(ina::wire::kSwitchmlValues, m_valuesPerPacket) ==
                        std::end(ina::wire::kSwitchmlValues),
                    "ValuesPerPacket is " << m_valuesPerPacket << "; allowed: 32, 64, 256");
    return m_valuesPerPacket;
}

uint32_t
InaSwitchmlSystem::ExponentSlots() const
{
    return m_blockFloatingPoint ? m_slots : 0;
}

std::unique_ptr<ina::programs::SwitchProgram>
InaSwitchmlSystem::MakeProgram(uint32_t jobs, std::size_t carriedValues) const
{
    return ina::programs::make_switchml(std::size_t{jobs} * m_slots,
                                        carriedValues,
                                        m_congestionControl);
}

ina::programs::JobEntry
InaSwitchmlSystem::MakeJobEntry(uint32_t place, uint16_t workers, ina::HostId server) const
{
    return {workers, server, place * m_slots, m_slots};
}

std::unique_ptr<ina::WorkerTransport>
InaSwitchmlSystem::MakeTransport(const ina::WorkerIdentity& identity,
                                 ina::ValuePool& pool,
                                 ina::ResultSink& sink) const
{
    ina::SwitchmlWorker::Config config;
    config.slots = m_slots;
    config.values_per_packet = ValuesPerPacket();
    config.rto = ToProtocol(m_rto);
    config.adaptive_rto = m_adaptiveRto;
    if (m_congestionControl)
    {
        config.congestion_control = {m_initialWindow, 0}; // the slots are the limit
    }
    return std::make_unique<ina::SwitchmlWorker>(identity, config, pool, sink);
}

} // namespace ns3
