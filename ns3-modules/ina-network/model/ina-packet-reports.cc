/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-packet-reports.h"

namespace ns3
{

InaPacketReports::InaPacketReports(uint32_t node) : InaEventSource(node) {}

void
InaPacketReports::Expect(const InaPacketTrace& trace, Ptr<const Packet> packet, int64_t ts)
{
    // Nearly all reports are the latest ones.
    const auto at = m_reports.emplace_hint(m_reports.end(), ts, Report{&trace, packet});
    if (at == m_reports.begin())
    {
        Arm(ts);
    }
}

void
InaPacketReports::Fire(int64_t)
{
    const Report report = m_reports.begin()->second;
    m_reports.erase(m_reports.begin());
    if (!m_reports.empty())
    {
        Arm(m_reports.begin()->first);
    }
    (*report.trace)(report.packet);
}

} // namespace ns3
