/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_HOST_INTERFACE_H
#define INA_HOST_INTERFACE_H

#include "ina-host-alarms.h"

#include "hw/protocol/wire/frame.hpp"

#include "ns3/ina-net-device.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class InaHostApplication;

/**
 * \ingroup ina-hosts
 * Network interface of a host that runs several applications, which share its InaNetDevice. The
 * applications may be workers and parameter servers of any jobs.
 *
 * Applications that have frames take turns and send one frame each. They send until the queue in
 * front of the line has the shortest length that any of the applications allows. Further frames
 * wait in the applications. An arriving frame goes to the application with its destination address.
 * If its destination is all workers, the frame goes to all workers of its job.
 *
 * One application may send and receive background traffic (ina::kNoJob). While others have frames,
 * too, it gets half of the line.
 */
class InaHostInterface : public SimpleRefCount<InaHostInterface>, public InaFrameHandler
{
  public:
    /** Makes this object the handler of all frames that arrive at the device. */
    explicit InaHostInterface(Ptr<InaNetDevice> device);

    /**
     * Adds an application that shares the device; called by InaHostApplication::Share().
     *
     * \param application The application; must outlive the traffic.
     * \param address Address of the application in frames.
     * \returns its attachment: the application's index in this interface.
     */
    std::size_t Attach(InaHostApplication& application, ina::HostId address);
    /** Reads those properties of the device's line that this interface needs. */
    void ReadLine();
    /** Sets the receiver of an application's frames. */
    void SetHandler(std::size_t attachment, InaFrameHandler* handler);
    /** Subscribes the application to frames for all workers of this job. Ends its subscription for
     * any previous job. */
    void JoinGroup(std::size_t attachment, ina::JobId job);
    /** Makes the application the receiver of all frames of background traffic, and the only sender
     * of such frames. */
    void CarryTraffic(std::size_t attachment);

    /** Sends the applications' frames until the queue in front of the line is full. */
    void Pump(int64_t ts);

    uint64_t
    GetFramesSent(std::size_t attachment) const
    {
        return m_attachments[attachment].framesSent;
    }

    uint64_t
    GetFramesReceived(std::size_t attachment) const
    {
        return m_attachments[attachment].framesReceived;
    }

    /** Executes everything that is due at `ts`, the current time: first arrivals, then the
     * applications' actions, then sending. */
    void RunAlarms(int64_t ts);

    void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override;
    int64_t QuietUntil(int64_t ts) const override;

  private:
    struct Attachment
    {
        InaHostApplication* application;
        ina::HostId address;
        std::optional<ina::JobId> group{};
        InaFrameHandler* handler{nullptr};
        uint64_t framesSent{0};
        uint64_t framesReceived{0};
    };

    bool SendNext(int64_t ts);
    bool SendOf(std::size_t attachment, int64_t ts);
    void Deliver(Attachment& attachment, ina::Frame& frame, int64_t ts);

    Ptr<InaNetDevice> m_device;
    std::vector<Attachment> m_attachments;
    std::size_t m_turn{0};                //!< index of the application that sends next
    std::optional<std::size_t> m_traffic; //!< index of the application with background traffic
    int64_t m_trafficAhead{0}; //!< bytes that it sent more than the others since all were busy
    int64_t m_queueSteps;      //!< backlog of the line at which Pump() stops
    InaHostAlarms m_alarms;
};

} // namespace ns3

#endif // INA_HOST_INTERFACE_H
