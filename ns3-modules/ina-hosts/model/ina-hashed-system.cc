/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-hashed-system.h"

#include "enum-accessor.h"

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
    const ina::AtpWorker::Config defaults; // DSA's are the same but for the windows and the
                                           // addressing
    static TypeId tid =
        TypeId("ns3::InaHashedSystem")
            .SetParent<InaSystem>()
            .SetGroupName("Ina")
            .AddAttribute("Aggregators",
                          "Aggregators of the switch; 20161 of 62 values take 5 MB.",
                          UintegerValue(20161),
                          MakeUintegerAccessor(&InaHashedSystem::m_aggregators),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "Hash",
                "The hash of a job and PSN that gives a fragment its aggregator.",
                EnumValue(static_cast<int>(defaults.addressing.hash)),
                MakeEnumAccessorOf<int>(&InaHashedSystem::SetHash, &InaHashedSystem::GetHash),
                MakeEnumCheckerOfPlaces(ina::wire::kHashNames))
            .AddAttribute("TableEntries",
                          "Entries of a job's table of aggregators, with Addressing=table; at most "
                          "as many packets are in flight.",
                          UintegerValue(defaults.addressing.table_entries),
                          MakeUintegerAccessor(&InaHashedSystem::m_tableEntries),
                          MakeUintegerChecker<uint32_t>(1))
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

TypeId
InaHashedSystem::AddAttributesOf(const ina::CongestionWindow::Config& window,
                                 ina::wire::AddressingScheme scheme,
                                 TypeId tid)
{
    return tid
        .AddAttribute("InitialWindow",
                      "Packets that a worker may have in flight at first.",
                      UintegerValue(window.initial_packets),
                      MakeUintegerAccessor(&InaHashedSystem::m_initialWindow),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("MaxWindow",
                      "Packets that a worker may have in flight at most; 0: no limit.",
                      UintegerValue(window.max_packets),
                      MakeUintegerAccessor(&InaHashedSystem::m_maxWindow),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("Addressing",
                      "How a job's packets get their aggregators.",
                      EnumValue(static_cast<int>(scheme)),
                      MakeEnumAccessorOf<int>(&InaHashedSystem::SetAddressing,
                                              &InaHashedSystem::GetAddressing),
                      MakeEnumCheckerOfPlaces(ina::wire::kAddressingNames));
}

uint32_t
InaHashedSystem::ValuesPerPacket() const
{
    return ina::wire::kFragmentValues;
}

ina::wire::AddressingConfig
InaHashedSystem::Addressing() const
{
    return {.aggregators = m_aggregators,
            .scheme = m_addressing,
            .hash = m_hash,
            .table_entries = m_tableEntries};
}

void
InaHashedSystem::SetHash(int hash)
{
    m_hash = static_cast<ina::wire::Hash>(hash);
}

int
InaHashedSystem::GetHash() const
{
    return static_cast<int>(m_hash);
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
