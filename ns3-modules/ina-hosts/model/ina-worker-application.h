/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_WORKER_APPLICATION_H
#define INA_WORKER_APPLICATION_H

#include "host-timer.h"

#include "hw/protocol/transport/worker_transport.hpp"
#include "ns3/lean-net-device.h"

#include "ns3/application.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <map>
#include <memory>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * A worker's network stack: one of the transports of hw/protocol on a LeanNetDevice, with the
 * timers it asks for and a network interface that holds back what the line cannot take yet.
 */
class InaWorkerApplication : public Application, public FrameHandler
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

    void Install(Ptr<LeanNetDevice> device, std::unique_ptr<ina::WorkerTransport> transport);

    /** Hands a tensor to the transport at time step `ts`, which is now. */
    void Submit(const ina::Tensor& tensor, int64_t ts);

    /**
     * Calls `action(ts)` at time step `ts`. Whatever happens on this host by itself has to be
     * scheduled here and not with Simulator::Schedule(), so that the host knows until when nothing
     * but arrivals will happen.
     */
    void At(int64_t ts, std::function<void(int64_t)> action);

    const ina::WorkerTransport&
    Transport() const
    {
        return *m_transport;
    }

    LeanNetDevice&
    Device()
    {
        return *m_device;
    }

    void HandleFrame(LeanNetDevice& device, ina::Frame& frame, int64_t ts) override;
    int64_t QuietUntil(int64_t ts) const override;

  protected:
    void DoDispose() override;

  private:
    void Pump(int64_t ts);
    void Expire(int64_t ts);
    void RunAgenda(int64_t ts);

    uint32_t m_interfaceQueueBytes{0};
    int64_t m_interfaceQueueSteps{0};
    Ptr<LeanNetDevice> m_device;
    std::unique_ptr<ina::WorkerTransport> m_transport;
    std::unique_ptr<HostTimer> m_pumpTimer;
    std::unique_ptr<HostTimer> m_deadlineTimer;
    std::unique_ptr<HostTimer> m_agendaTimer;
    std::multimap<int64_t, std::function<void(int64_t)>> m_agenda;
    TracedCallback<uint32_t, uint32_t> m_windowTrace;
};

} // namespace ns3

#endif // INA_WORKER_APPLICATION_H
