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
 * A worker's network stack: one of the transports of hw/protocol on an InaNetDevice, with the
 * timers it asks for and a network interface that holds back what the line cannot take yet.
 */
class InaWorkerApplication : public InaHostApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of the window.
     *
     * \param [in] window Packets that may be in flight.
     * \param [in] inFlight Packets in flight.
     */
    typedef void (*WindowTracedCallback)(uint32_t window, uint32_t inFlight);

    /**
     * Runs with a transport of a class of one's own, constructed from `args`. Called again, it
     * begins anew: with another transport, without an agenda.
     *
     * \param device Where it sends and receives.
     * \param args Of the transport's constructor.
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

    /** For modules: the same with a transport that InaSystem::MakeTransport() has made. */
    void Install(Ptr<InaNetDevice> device, std::unique_ptr<ina::WorkerTransport> transport);

    /** Hands a tensor to the transport now. Not to be called from what the transport calls
     * (GradientSource, ResultSink): schedule it there, for now with Simulator::ScheduleNow(). */
    void Submit(const ina::Tensor& tensor);
    /** For modules: the same at time step `ts`, which is now for this host, also if it runs ahead.
     */
    void SubmitAt(const ina::Tensor& tensor, int64_t ts);

    const ina::WorkerTransport& GetTransport() const;

    /** Of this transport and those before it. */
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

    /// HandleArrivals() for a class of transports.
    using ArrivalsFunction = void (InaWorkerApplication::*)(InaNetDevice& device,
                                                            InaLinkDirection& direction,
                                                            int64_t eventTs);

    // Flat: what is called for each frame is compiled into one function.
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

    /// While it lives, the transport is at work, and must not be called.
    class Working;

    void AbortUnlessInstalled() const;
    void AbortIfWorking(const char* method) const;
    void SetInterfaceQueue(uint32_t bytes);
    uint32_t GetInterfaceQueue() const;
    void NoteSubmitted(const ina::Tensor& tensor);
    void TellOfGap() const;

    int64_t m_interfaceQueueSteps{0};
    std::unique_ptr<ina::WorkerTransport> m_transport;
    const ina::Prefetchable* m_transportFetches{nullptr}; //!< null: it fetches nothing
    ArrivalsFunction m_handleArrivals{nullptr};           //!< for the transport's class
    TracedCallback<uint32_t, uint32_t> m_windowTrace;
    // Up to here every frame needs it: fetch_ahead() ends here.
    uint32_t m_interfaceQueueBytes{0};
    int64_t m_handledTs{0}; //!< of the last frame
    bool m_isWorking{false};
    std::map<ina::Psn, uint64_t> m_submitted;  //!< by Submit(): where ranges of PSNs begin and end
    ina::WorkerStatistics m_earlierStatistics; //!< of the transports before
};

} // namespace ns3

#endif // INA_WORKER_APPLICATION_H
