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
 * Network stack of a worker: one of the transports of hw/protocol on an InaNetDevice, with its
 * timers and a network interface that holds back frames while the line is busy.
 */
class InaWorkerApplication : public InaHostApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of the window.
     *
     * \param [in] window Maximum number of packets in flight.
     * \param [in] inFlight Number of packets in flight.
     */
    typedef void (*WindowTracedCallback)(uint32_t window, uint32_t inFlight);

    /**
     * Installs a Transport that is constructed from `args`. A repeated call restarts with a new
     * transport and an empty agenda.
     *
     * \param device Device that it sends and receives on.
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

    /** For modules: installs a transport created by InaSystem::MakeTransport(). */
    void Install(Ptr<InaNetDevice> device, std::unique_ptr<ina::WorkerTransport> transport);

    /** Submits a tensor to the transport now. Callbacks of the transport (GradientSource,
     * ResultSink) must not call this. They must schedule the call, for example with
     * Simulator::ScheduleNow(). */
    void Submit(const ina::Tensor& tensor);
    /** For modules: submits at `ts`, the host's current time step, even if it runs ahead. */
    void SubmitAt(const ina::Tensor& tensor, int64_t ts);

    const ina::WorkerTransport& GetTransport() const;

    /** Statistics of this transport and its predecessors. */
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

    /// A version of HandleArrivals() for one class of transports.
    using ArrivalsFunction = void (InaWorkerApplication::*)(InaNetDevice& device,
                                                            InaLinkDirection& direction,
                                                            int64_t eventTs);

    // Flatten: compiles everything that is called for each frame into one function.
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

    /// While such an object exists, the transport is working and must not be called.
    class Working;

    void AbortUnlessInstalled() const;
    void AbortIfWorking(const char* method) const;
    void SetInterfaceQueue(uint32_t bytes);
    uint32_t GetInterfaceQueue() const;
    void NoteSubmitted(const ina::Tensor& tensor);
    void TellOfGap() const;

    int64_t m_interfaceQueueSteps{0};
    std::unique_ptr<ina::WorkerTransport> m_transport;
    const ina::Prefetchable* m_transportFetches{nullptr}; //!< null: it prefetches nothing
    ArrivalsFunction m_handleArrivals{nullptr};           //!< for the class of the transport
    TracedCallback<uint32_t, uint32_t> m_windowTrace;
    // Every frame needs the members up to here, therefore fetch_ahead() ends here.
    uint32_t m_interfaceQueueBytes{0};
    int64_t m_handledTs{0}; //!< time step of the last frame
    bool m_isWorking{false};
    /// PSN ranges passed to Submit(): first PSN, end
    std::map<ina::Psn, uint64_t> m_submitted;
    ina::WorkerStatistics m_earlierStatistics; //!< of the previous transports
};

} // namespace ns3

#endif // INA_WORKER_APPLICATION_H
