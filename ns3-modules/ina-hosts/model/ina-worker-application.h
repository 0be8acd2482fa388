/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_WORKER_APPLICATION_H
#define INA_WORKER_APPLICATION_H

#include "ina-host-application.h"

#include "hw/protocol/transport/worker_transport.hpp"

#include "ns3/traced-callback.h"

#include <map>
#include <memory>
#include <utility>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * Network stack of a worker. It runs one of the transports of hw/protocol on an InaNetDevice, calls
 * it when its timers expire, and holds back frames while the line is busy.
 */
class InaWorkerApplication : public InaHostApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of changes of the window.
     *
     * \param [in] window Maximum number of packets in flight.
     * \param [in] inFlight Number of packets in flight.
     */
    typedef void (*WindowTracedCallback)(uint32_t window, uint32_t inFlight);

    /**
     * Installs a Transport that is constructed from `args`. Further calls restart the process with
     * a new transport and an empty agenda.
     *
     * \param device Device on which the transport sends and receives.
     * \param args Arguments of the transport's constructor.
     * \returns the transport.
     */
    template <class Transport, class... Args>
    Transport&
    Install(Ptr<InaNetDevice> device, Args&&... args)
    {
        auto transport = std::make_unique<Transport>(std::forward<Args>(args)...);
        Transport& installed = *transport;
        Install(device, std::move(transport));
        return installed;
    }

    /** Used by other INA modules: installs a transport that InaSystem::MakeTransport() created. */
    void Install(Ptr<InaNetDevice> device, std::unique_ptr<ina::WorkerTransport> transport);

    /** Submits a tensor to the transport now. Callbacks of the transport (GradientSource,
     * ResultSink) must not call Submit(), but schedule a call of it, for example with
     * Simulator::ScheduleNow(). */
    void Submit(const ina::Tensor& tensor);
    /** Used by other INA modules: submits at `ts`, the time step that the host has reached. */
    void SubmitAt(const ina::Tensor& tensor, int64_t ts);

    const ina::WorkerTransport& GetTransport() const;

    /** Sum of the statistics of all transports installed so far. */
    ina::WorkerStatistics GetStatistics() const;

    void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) final;
    void HandleArrivals(InaNetDevice& device, InaLinkDirection& direction, int64_t eventTs) final;

    int64_t
    QuietUntil(int64_t ts) const final
    {
        return m_windowTrace.IsEmpty() ? InaHostApplication::QuietUntil(ts) : ts;
    }

    uint32_t
    GetInterfaceQueueBytes() const override
    {
        return m_interfaceQueueBytes;
    }

  protected:
    void fetch_ahead(unsigned step) const override;
    void DoDispose() override;
    void ReadLine() override;
    bool SendOne(int64_t ts) override;
    void Expire(int64_t ts) override;

  private:
    template <class Worker>
    class ArrivalHandler;

    /// A version of HandleArrivals() that is compiled for one class of transports.
    using ArrivalsFunction = void (InaWorkerApplication::*)(InaNetDevice& device,
                                                            InaLinkDirection& direction,
                                                            int64_t eventTs);

    // The attribute inlines all functions that are called for each frame into this one.
    template <class Worker>
    [[gnu::flatten]] void HandleArrivalsBy(InaNetDevice& device,
                                           InaLinkDirection& direction,
                                           int64_t eventTs);
    template <class Worker, class... Others>
    ArrivalsFunction FindArrivalsFunction() const;
    void Pump(int64_t ts);
    template <class Worker>
    void PumpOwnLine(InaNetDevice& device, Worker& transport, int64_t ts);
    template <class Worker>
    static bool PutNextOnLine(InaNetDevice& device, Worker& transport, int64_t ts);
    template <class Worker>
    void ArmDeadline(const Worker& transport, int64_t ts);

    /// While an object of this class exists, the transport is working and must not be called.
    class Working;

    void AbortUnlessInstalled() const;
    void AbortIfWorking(const char* method) const;
    void SetInterfaceQueue(uint32_t bytes);
    uint32_t GetInterfaceQueue() const;
    void NoteSubmitted(const ina::Tensor& tensor);
    void TellOfGap() const;

    int64_t m_interfaceQueueSteps{0};
    std::unique_ptr<ina::WorkerTransport> m_transport;
    const ina::Prefetchable* m_transportFetches{nullptr}; //!< null if it is not Prefetchable
    ArrivalsFunction m_handleArrivals{nullptr};           //!< of the transport's class
    TracedCallback<uint32_t, uint32_t> m_windowTrace;
    // The members before this line are used for every frame: fetch_ahead() prefetches them.
    uint32_t m_interfaceQueueBytes{0};
    int64_t m_handledTs{0}; //!< time step of the last frame
    bool m_isWorking{false};
    /// PSN ranges passed to Submit(): first PSN and the PSN after the last
    std::map<ina::Psn, uint64_t> m_submitted;
    ina::WorkerStatistics m_earlierStatistics; //!< sum over the previous transports
};

} // namespace ns3

#endif // INA_WORKER_APPLICATION_H
