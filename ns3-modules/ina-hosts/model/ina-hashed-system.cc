/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-hashed-system.h"

#include "hw/protocol/transport/atp_worker.hpp"

#include "ns3/boolean.h"
#include "ns3/protocol-time.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaHashedSystem);

TypeId
InaHashedSystem::GetTypeId()
{
    const ina::AtpWorker::Config defaults; // DSA's are the same but for the initial window and
                                           // the addressing
    static TypeId tid =
        TypeId("ns3::InaHashedSystem")
            .SetParent<InaSystem>()
            .SetGroupName("Ina")
            .AddAttribute("Aggregators",
                          "Aggregators of the switch; 20161 of 62 values take 5 MB.",
                          UintegerValue(20161),
                          MakeUintegerAccessor(&InaHashedSystem::m_aggregators),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("TableEntries",
                          "Entries of a job's table of aggregators, with Addressing=table; at most "
                          "as many packets are in flight.",
                          UintegerValue(defaults.addressing.table_entries),
                          MakeUintegerAccessor(&InaHashedSystem::m_tableEntries),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxWindow",
                          "Packets that a worker may have in flight at most; 0: no limit.",
                          UintegerValue(defaults.window.max_packets),
                          MakeUintegerAccessor(&InaHashedSystem::m_maxWindow),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("CongestionControl",
                          "Whether the window follows ECN marks and losses.",
                          BooleanValue(defaults.window.enabled),
                          MakeBooleanAccessor(&InaHashedSystem::m_congestionControl),
                          MakeBooleanChecker())
            .AddAttribute("MinRto",
                          "The least time after which a worker sends a packet again.",
                          TimeValue(FromProtocol(defaults.min_rto)),
                          MakeTimeAccessor(&InaHashedSystem::m_minRto),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

uint32_t
InaHashedSystem::ValuesPerPacket() const
{
    return ina::wire::kFragmentValues;
}

ina::wire::AddressingConfig
InaHashedSystem::Addressing() const
{
    return {.aggregators = m_aggregators, .scheme = m_addressing, .table_entries = m_tableEntries};
}

void
InaHashedSystem::SetAddressing(int scheme)
{
    m_addressing = static_cast<ina::wire::AddressingScheme>(scheme);
}

int
InaHashedSystem::GetAddressing() const
{
    return static_cast<int>(m_addressing);
}

ina::CongestionWindow::Config
InaHashedSystem::Window() const
{
    return {m_initialWindow, m_maxWindow, m_congestionControl};
}

} // namespace ns3
