/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SERVER_APPLICATION_H
#define INA_SERVER_APPLICATION_H

#include "host-timer.h"

#include "hw/protocol/server/parameter_server.hpp"
#include "ns3/lean-net-device.h"

#include "ns3/application.h"

#include <memory>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * A parameter server's host: the server logic of hw/protocol for one job on a LeanNetDevice, with
 * its timer.
 */
class InaServerApplication : public Application, public FrameHandler
{
  public:
    static TypeId GetTypeId();

    void Install(Ptr<LeanNetDevice> device, std::unique_ptr<ina::ParameterServer> server);

    const ina::ParameterServer&
    Server() const
    {
        return *m_server;
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
    void SendAll(int64_t ts);
    void Expire(int64_t ts);

    Ptr<LeanNetDevice> m_device;
    std::unique_ptr<ina::ParameterServer> m_server;
    std::unique_ptr<HostTimer> m_deadlineTimer;
};

} // namespace ns3

#endif // INA_SERVER_APPLICATION_H
