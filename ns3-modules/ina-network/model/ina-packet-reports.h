/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PACKET_REPORTS_H
#define INA_PACKET_REPORTS_H

#include "ina-event-source.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>

namespace ns3
{

/// A trace source as ns-3's devices have them for packets.
using InaPacketTrace = TracedCallback<Ptr<const Packet>>;

/**
 * \ingroup ina-network
 * Fires trace sources of packets at later instants: when a packet leaves, or is lost, is known
 * ahead, but sinks need the simulator's clock.
 */
class InaPacketReports : public InaEventSource
{
  public:
    /** \param node The node of the device whose trace sources these are. */
    explicit InaPacketReports(uint32_t node);

    /**
     * Fires a trace source once. Reports for the same instant keep the order of these calls.
     *
     * \param trace The trace source, which must outlive this object.
     * \param packet What sinks get.
     * \param ts When, in time steps; not before now.
     */
    void Expect(const InaPacketTrace& trace, Ptr<const Packet> packet, int64_t ts);

  private:
    struct Report
    {
        const InaPacketTrace* trace;
        Ptr<const Packet> packet;
    };

    void Fire(int64_t ts) override;

    std::multimap<int64_t, Report> m_reports; //!< by time
};

} // namespace ns3

#endif // INA_PACKET_REPORTS_H
