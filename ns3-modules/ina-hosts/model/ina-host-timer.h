/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_HOST_TIMER_H
#define INA_HOST_TIMER_H

#include "ns3/ina-net-device.h"
#include "ns3/node.h"

#include <functional>
#include <limits>
#include <utility>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * A timer of a host application that calls a function. At an instant frames arrive first.
 */
class InaHostTimer : public InaEventSource
{
  public:
    InaHostTimer(Ptr<InaNetDevice> device, std::function<void(int64_t)> expired) :
        InaEventSource(device->GetNode()->GetId()), m_device(device), m_expired(std::move(expired))
    {
    }

    /** Makes sure that the timer expires at `ts` or before; expiring early must do no harm. */
    void
    ArmNoLaterThan(int64_t ts)
    {
        if (!IsArmed() || ts < m_expires)
        {
            m_expires = ts;
            Arm(ts);
        }
    }

    /** When the timer expires; the end of time if it is not armed. */
    int64_t
    Expires() const
    {
        return IsArmed() ? m_expires : std::numeric_limits<int64_t>::max();
    }

  private:
    void
    Fire(int64_t ts) override
    {
        m_device->DeliverUntil(ts);
        m_expired(ts);
    }

    Ptr<InaNetDevice> m_device;
    int64_t m_expires{0}; //!< if it is armed
    std::function<void(int64_t)> m_expired;
};

} // namespace ns3

#endif // INA_HOST_TIMER_H
