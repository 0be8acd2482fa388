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
 * The network interface of a host on which several applications run, workers or parameter servers
 * of any jobs: shares its InaNetDevice among them.
 *
 * They send in turns, a frame each; who has nothing to send is left out. Before the line stands as
 * much as the application with the shortest interface queue allows, so that everything else waits
 * for its turn. A frame that comes in goes to the application with the address that it names, and
 * one for every worker to those of its job.
 */
class InaHostInterface : public SimpleRefCount<InaHostInterface>, public InaFrameHandler
{
  public:
    /** Takes all that arrives at the device from now on. */
    explicit InaHostInterface(Ptr<InaNetDevice> device);

    /**
     * One more application shares the device; InaHostApplication::Share() calls it.
     *
     * \param application It must outlive the traffic.
     * \param address Of its own, as frames name it.
     * \returns its attachment, by which it is known here.
     */
    std::size_t Attach(InaHostApplication& application, ina::HostId address);
    /** Reads what it needs of the device's line. */
    void ReadLine();
    /** Who takes the frames for the application from now on. */
    void SetHandler(std::size_t attachment, InaFrameHandler* handler);
    /** Frames for every worker of this job go to the application, and no longer those of another.
     */
    void JoinGroup(std::size_t attachment, ina::JobId job);

    /** Sends what the applications have, as much as the line takes now. */
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

    /** What is due at `ts`, which is now: frames arrive first, and what the applications do comes
     * before who sends. */
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
    void Deliver(Attachment& attachment, ina::Frame& frame, int64_t ts);

    Ptr<InaNetDevice> m_device;
    std::vector<Attachment> m_attachments;
    std::size_t m_turn{0}; //!< whose turn it is to send
    int64_t m_queueSteps;  //!< that the line may be busy with what was sent
    InaHostAlarms m_alarms;
};

} // namespace ns3

#endif // INA_HOST_INTERFACE_H
