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
 * Applications that run the transports of workers and the parameter servers.
 */

/**
 * \ingroup ina-hosts
 * What a worker and a parameter server have in common: an InaNetDevice, an agenda, and what may
 * happen to the process: it pauses, it stops, it begins anew. As of every application, its
 * StartTime and StopTime are when it first does something and when it stops for good: before and
 * after that nothing is sent, and what arrives is lost; what was due before is done at StartTime.
 *
 * By default it handles each frame when the simulator's clock is there. If it runs ahead, Pause(),
 * Resume(), Stop() and a new beginning have to be announced by HoldAt(), so that it does not get
 * beyond their time.
 */
class InaHostApplication : public Application, public InaFrameHandler, public ina::Prefetchable
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of what happens to the process.
     *
     * \param [in] node The node that it is on.
     */
    typedef void (*ProcessTracedCallback)(uint32_t node);

    Ptr<InaNetDevice> GetDevice() const;

    /**
     * Other applications run on the same device. To be called before it is installed there.
     *
     * \param interface That of all of them.
     * \param address Of this one.
     */
    void Share(Ptr<InaHostInterface> interface, ina::HostId address);
    /** Of a worker that shares a device: frames for every worker of this job are for it. */
    void JoinGroup(ina::JobId job);

    /** What it sent, also where it shares a device, in frames. */
    uint64_t GetFramesSent() const;
    /** What came for it, in frames. */
    uint64_t GetFramesReceived() const;

    /** Bytes that it puts before its line at most, where it shares that. */
    virtual uint32_t
    GetInterfaceQueueBytes() const
    {
        return ina::kInterfaceQueueBytes;
    }

    /** As the attribute RunAhead. */
    void
    SetRunAhead(bool runsAhead)
    {
        m_runsAhead = runsAhead;
    }

    /** Of an application that runs ahead: nothing but arrivals happens before the next alarm. */
    int64_t
    QuietUntil(int64_t ts) const override
    {
        return m_runsAhead ? m_alarms->NextTs() : ts;
    }

    bool RunAhead(int64_t ts) override;
    /** Does what is due at `ts`, which is now. */
    void RunAlarms(int64_t ts);

    /** It is its turn to send on a device that is shared. Whether it sent a frame. */
    bool
    TakeTurn(int64_t ts)
    {
        return m_device && IsRunning() && SendOne(ts);
    }

    /**
     * For modules: calls `action(ts)` at time step `ts`, not before now. What happens on a host
     * that runs ahead has to be scheduled here and not with Simulator::Schedule(), so that the host
     * knows until when nothing but arrivals will happen.
     */
    void At(int64_t ts, std::function<void(int64_t)> action);

    /** A host that runs ahead handles what arrives then or later in events of their own. */
    void HoldAt(const Time& at);

    /** From now on it handles nothing, and keeps what arrives, until Resume() is called at `until`
     * or later. */
    void Pause(const Time& until);
    /** Goes on with all that arrived meanwhile, unless a pause lasts until a later time. */
    void Resume();
    /** Handles nothing any more; what comes is lost. */
    void Stop();

    bool
    IsRunning() const
    {
        return m_state == State::RUNNING;
    }

    /** Whether it waits for nothing but frames. */
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

    /** As GetDevice(), of an application that is installed. */
    InaNetDevice&
    Device()
    {
        return *m_device;
    }

    void DoInitialize() override;
    void DoDispose() override;

    /** Whether StartTime has not come yet. */
    bool
    IsYetToStart() const
    {
        return !m_started && m_startTime.IsStrictlyPositive();
    }

    /** Reads what it needs of the device's line. */
    virtual void
    ReadLine()
    {
    }

    /** Begins, or begins anew, without an agenda. What had stopped goes on; what pauses does not.
     */
    void Begin(Ptr<InaNetDevice> device);
    /** Calls Expire() at `ts` or before. */
    void
    ExpireNoLaterThan(int64_t ts)
    {
        m_alarms->SetNoLaterThan(InaHostAlarms::PROTOCOL, ts);
    }

    /** Through which it sends in turns with others; null: it has its device alone. */
    InaHostInterface*
    SharedInterface() const
    {
        return PeekPointer(m_interface);
    }

    /** Sends a frame, if there is one to send. Whether there was. */
    virtual bool SendOne(int64_t ts) = 0;
    /** Looks after time-outs and whatever is to be sent. */
    virtual void Expire(int64_t ts) = 0;

  private:
    enum class State
    {
        WAITING, //!< for StartTime
        RUNNING,
        PAUSED,
        STOPPED,
    };

    /// Takes what arrives while the process does not run.
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
    Ptr<InaHostInterface> m_interface; //!< null: it has the device alone
    std::size_t m_attachment{0};       //!< there
    bool m_started{false};             //!< StartTime has come
    bool m_ended{false};               //!< StopTime has come
    int64_t m_pausedUntil{0};
    DownHandler m_downHandler{m_state};
    std::multimap<int64_t, std::function<void(int64_t)>> m_agenda;
    std::vector<int64_t> m_holds; //!< descending

    TracedCallback<uint32_t> m_pausedTrace;
    TracedCallback<uint32_t> m_resumedTrace;
    TracedCallback<uint32_t> m_stoppedTrace;
    TracedCallback<uint32_t> m_begunTrace;

    // Every frame needs these, and what stands first in the classes that derive from this one.
    State m_state{State::RUNNING};
    bool m_runsAhead{false};
    std::optional<InaHostAlarms> m_alarms; //!< made when it begins
};

} // namespace ns3

#endif // INA_HOST_APPLICATION_H
