/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_HOST_ALARMS_H
#define INA_HOST_ALARMS_H

#include "hw/protocol/time.hpp"

#include "ns3/ina-event-source.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * The next times at which a host acts on its own. When an alarm is cleared or postponed, its event
 * is not cancelled. If no alarm is due when the event happens, the host does nothing.
 */
class InaHostAlarms : public InaEventSource
{
  public:
    static constexpr int64_t NEVER = ina::kNever.count();

    /** The alarms of a host. At equal times, they go off in this order. */
    enum Alarm
    {
        AGENDA,
        PROTOCOL
    };

    /**
     * \param node Number of the node.
     * \param wake Function that is called with each time step at which an alarm may be due.
     */
    InaHostAlarms(uint32_t node, std::function<void(int64_t)> wake) :
        InaEventSource(node), m_wake(std::move(wake))
    {
    }

    /** Makes the alarm go off at `ts`, or at its present time if that is earlier. */
    void
    SetNoLaterThan(Alarm alarm, int64_t ts)
    {
        if (ts < m_due[alarm])
        {
            m_due[alarm] = ts;
            ArmNoLaterThan(ts);
        }
    }

    void
    Clear(Alarm alarm)
    {
        m_due[alarm] = NEVER;
    }

    /** Time step at which the alarm goes off, or NEVER. */
    int64_t
    Due(Alarm alarm) const
    {
        return m_due[alarm];
    }

    /** Time step of the earliest alarm, or NEVER. */
    int64_t
    NextTs() const
    {
        return std::min(m_due[AGENDA], m_due[PROTOCOL]);
    }

  private:
    void
    Fire(int64_t ts) override
    {
        m_wake(ts);
        if (NextTs() != NEVER)
        {
            ArmNoLaterThan(NextTs());
        }
    }

    void
    ArmNoLaterThan(int64_t ts)
    {
        if (!IsArmed() || ts < m_armedTs)
        {
            m_armedTs = ts;
            Arm(ts);
        }
    }

    int64_t m_due[2]{NEVER, NEVER};
    int64_t m_armedTs{0}; //!< valid while armed
    std::function<void(int64_t)> m_wake;
};

} // namespace ns3

#endif // INA_HOST_ALARMS_H
