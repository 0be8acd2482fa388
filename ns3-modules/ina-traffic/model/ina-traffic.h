/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TRAFFIC_H
#define INA_TRAFFIC_H

#include "hw/cluster/traffic/flow_schedule.hpp"

#include "ns3/data-rate.h"
#include "ns3/ina-net-device.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \defgroup ina-traffic In-Network Aggregation: Other Traffic
 *
 * Traffic that shares links, hosts and switches with aggregation.
 */

/** Progress of one flow. */
struct InaFlowResult
{
    ina::cluster::traffic::Flow flow;
    uint64_t bytesReceived{0};       //!< by the application
    Time last{};                     //!< when the last byte so far arrived
    std::optional<Time> completed{}; //!< when all bytes had arrived; empty if unlimited
};

/**
 * \ingroup ina-traffic
 * Runs the flows of a schedule between hosts. Derived classes define how: InaFlowTraffic with
 * frames of its own, InaStackTraffic with ns-3's Internet stack.
 */
class InaTraffic : public Object
{
  public:
    static TypeId GetTypeId();

    /// Datagrams at a rate, with pauses. These are attributes of an ns3::OnOffApplication.
    struct OnOff
    {
        DataRate rate;
        Time on;
        Time off;
        uint32_t packetBytes{0};
    };

    struct Setup
    {
        std::vector<ina::cluster::traffic::Pattern> patterns;
        std::map<std::size_t, OnOff> onOffs; //!< for on-off patterns, by index in `patterns`
        uint64_t seed{1};
    };

    /** Sets the traffic. Call this before Start(). */
    void Configure(const Setup& setup);

    /** Starts the schedule with its first flow. */
    void Start();
    /** Ends the traffic: no flow starts, and hosts send no packets, not even for running flows. */
    void Stop();

    /** Called with a message if a flow cannot start, because a host has too many. By default, the
     * program aborts with that message. */
    using FailureSink = std::function<void(const std::string& what)>;

    void
    SetFailureSink(FailureSink sink)
    {
        m_failureSink = std::move(sink);
    }

    /** Results by flow number. */
    const std::vector<InaFlowResult>&
    GetFlows() const
    {
        return m_flows;
    }

  protected:
    /** Starts a flow now. The machines of its ends have been checked by HasHost(). */
    virtual void StartFlow(const ina::cluster::traffic::Flow& flow) = 0;
    /** Ends everything that hosts send. */
    virtual void StopHosts() = 0;
    virtual bool HasHost(uint32_t machine) const = 0;

    /** Adds to a flow what its receiver has got at `at`. \return whether the flow is complete now.
     */
    bool AddReceived(uint64_t flow, uint64_t bytes, const Time& at);
    void Fail(const std::string& what) const;

    /** Settings of the flow's pattern; null unless it is an on-off pattern. */
    const OnOff* OnOffOf(const ina::cluster::traffic::Flow& flow) const;

  private:
    void ScheduleNext();
    void Begin(const ina::cluster::traffic::Flow& flow);

    std::optional<ina::cluster::traffic::FlowSchedule> m_schedule;
    std::map<std::size_t, OnOff> m_onOffs;
    std::vector<InaFlowResult> m_flows;
    FailureSink m_failureSink;
    bool m_stopped{false};
};

} // namespace ns3

#endif // INA_TRAFFIC_H
