/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_HOST_APPLICATION_H
#define INA_HOST_APPLICATION_H

#include "ina-host-alarms.h"
#include "ina-host-interface.h"

#include "hw/protocol/prefetchable.hpp"
#include "hw/protocol/transport/interface_queue.hpp"

#include "ns3/application.h"
#include "ns3/ina-net-device.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \defgroup ina-hosts In-Network Aggregation: Hosts
 *
 * Applications on hosts: workers, which run a transport, and parameter servers.
 */

/**
 * \ingroup ina-hosts
 * Base class of worker and parameter server applications. It uses an InaNetDevice, has an agenda of
 * timed actions, and can suffer process faults (pause, stop, restart). Before StartTime and from
 * StopTime on, it sends nothing and loses arriving frames. Actions that are due before StartTime
 * happen at StartTime.
 *
 * By default, each frame is handled when the simulator's clock shows its time. An application that
 * runs ahead of the clock might run past a Pause(), Resume(), Stop() or restart. HoldAt() must
 * therefore announce the time of each of these calls.
 */
class InaHostApplication : public Application, public InaFrameHandler, public ina::Prefetchable
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of process faults.
     *
     * \param [in] node Number of the node that the process is on.
     */
    typedef void (*ProcessTracedCallback)(uint32_t node);

    Ptr<InaNetDevice> GetDevice() const;

    /**
     * Makes this application share its device with other applications. Call this before the
     * application is installed on the device.
     *
     * \param interface Interface that all applications on the device share.
     * \param address Address of this application.
     */
    void Share(Ptr<InaHostInterface> interface, ina::HostId address);
    /** If the device is shared, subscribes this worker to frames for all workers of the job. */
    void JoinGroup(ina::JobId job);
    /** Makes this the application for background traffic on its shared device. */
    void CarryTraffic();

    /** Number of frames that this application sent. Others on the same device are not counted. */
    uint64_t GetFramesSent() const;
    /** Number of frames that this application received. Others on the device are not counted. */
    uint64_t GetFramesReceived() const;

    /** Maximum length of a shared line's queue that this application allows, in bytes. */
    virtual uint32_t
    GetInterfaceQueueBytes() const
    {
        return ina::kInterfaceQueueBytes;
    }

    /** Sets the attribute RunAhead. */
    void
    SetRunAhead(bool runsAhead)
    {
        m_runsAhead = runsAhead;
    }

    /** Returns the time of the next alarm if the application runs ahead, otherwise `ts`. */
    int64_t
    QuietUntil(int64_t ts) const override
    {
        return m_runsAhead ? m_alarms->NextTs() : ts;
    }

    bool RunAhead(int64_t ts) override;
    /** Executes actions and protocol timers that are due by `ts`, the current time. */
    void RunAlarms(int64_t ts);

    /** Called when the application may send on a shared device. \return whether it did. */
    bool
    TakeTurn(int64_t ts)
    {
        return m_device && IsRunning() && SendOne(ts);
    }

    /**
     * Calls `action(at)` at that time, which must not be in the past. If a host runs ahead,
     * schedule its events by At() instead of Simulator::Schedule(): the host then knows the time
     * before which only arrivals happen.
     */
    void At(const Time& at, std::function<void(const Time&)> action);

    /** Keeps a host that runs ahead of the clock from running past the time `at`. */
    void HoldAt(const Time& at);

    /** Pauses, and keeps arriving frames until Resume() is called at `until` or later. */
    void Pause(const Time& until);
    /** Ends the pause, and handles the frames that arrived during it. Does nothing if another pause
     * has not ended. */
    void Resume();
    /** Stops the process until it is installed again. Arriving frames are lost. */
    void Stop();

    bool
    IsRunning() const
    {
        return m_state == State::RUNNING;
    }

    /** Whether the application does nothing until a frame arrives. */
    bool
    IsIdle() const
    {
        return !m_alarms || m_alarms->NextTs() == InaHostAlarms::NEVER;
    }

    bool
    IsStopped() const
    {
        return m_state == State::STOPPED;
    }

  protected:
    void fetch_ahead(unsigned step) const override;

    /** The device. Unlike GetDevice(), it does not check that the application is installed. */
    InaNetDevice&
    Device()
    {
        return *m_device;
    }

    void DoInitialize() override;
    void DoDispose() override;

    /** Whether the application has a StartTime that has not passed. */
    bool
    IsYetToStart() const
    {
        return !m_started && m_startTime.IsStrictlyPositive();
    }

    /** Reads those properties of the device's line that the application needs. */
    virtual void
    ReadLine()
    {
    }

    /** Begins or restarts with an empty agenda. A stopped process runs again, unless StopTime has
     * passed. A paused process stays paused. */
    void Begin(Ptr<InaNetDevice> device);
    /** Schedules a call of Expire() at `ts`, or earlier. */
    void
    ExpireNoLaterThan(int64_t ts)
    {
        m_alarms->SetNoLaterThan(InaHostAlarms::PROTOCOL, ts);
    }

    /** Interface to the shared device; null if the device is not shared. */
    InaHostInterface*
    SharedInterface() const
    {
        return PeekPointer(m_interface);
    }

    /** Sends one frame if any is ready. \return whether it sent a frame. */
    virtual bool SendOne(int64_t ts) = 0;
    /** Handles expired timers and sends due frames. */
    virtual void Expire(int64_t ts) = 0;

  private:
    enum class State
    {
        WAITING, //!< until StartTime
        RUNNING,
        PAUSED,
        STOPPED,
    };

    /// Receives arrivals while the process does not run.
    class DownHandler : public InaFrameHandler
    {
      public:
        explicit DownHandler(const State& state) : m_state(state) {}

        void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override;

        std::vector<ina::Frame> kept;

      private:
        const State& m_state;
    };

    void StartApplication() override;
    void StopApplication() override;
    void Enter(State state);
    void FixLine();
    void Wake(int64_t ts);
    void RunAgenda(int64_t ts);
    void ArmAgenda(int64_t ts);

    Ptr<InaNetDevice> m_device;
    Ptr<InaHostInterface> m_interface; //!< null: the device is not shared
    std::size_t m_attachment{0};       //!< index in m_interface
    bool m_started{false};             //!< StartTime has passed
    bool m_ended{false};               //!< StopTime has passed
    int64_t m_pausedUntil{0};
    DownHandler m_downHandler{m_state};
    std::multimap<int64_t, std::function<void(const Time&)>> m_agenda; //!< by time step
    std::vector<int64_t> m_holds; //!< times of HoldAt(), in descending order

    TracedCallback<uint32_t> m_pausedTrace;
    TracedCallback<uint32_t> m_resumedTrace;
    TracedCallback<uint32_t> m_stoppedTrace;
    TracedCallback<uint32_t> m_begunTrace;

    // These members, and the first members of derived classes, are used for every frame.
    State m_state{State::RUNNING};
    bool m_runsAhead{false};
    std::optional<InaHostAlarms> m_alarms; //!< created by the first Begin()
};

} // namespace ns3

#endif // INA_HOST_APPLICATION_H
