/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SERVER_APPLICATION_H
#define INA_SERVER_APPLICATION_H

#include "ina-host-application.h"

#include "hw/protocol/server/parameter_server.hpp"

#include <memory>
#include <utility>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * Application that runs one parameter server of a job (hw/protocol) on an InaNetDevice, and calls
 * it when its timers expire.
 */
class InaServerApplication : public InaHostApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * Installs a Server that is constructed from `args`. Further calls restart the process with a
     * new server, which does not have the previous server's state.
     *
     * \param device Device on which the server sends and receives.
     * \param args Arguments of the server's constructor.
     * \returns the server.
     */
    template <class Server, class... Args>
    Server&
    Install(Ptr<InaNetDevice> device, Args&&... args)
    {
        auto server = std::make_unique<Server>(std::forward<Args>(args)...);
        Server& installed = *server;
        Install(device, std::move(server));
        return installed;
    }

    /** Used by other INA modules: installs a server that InaSystem::MakeServer() created. */
    void Install(Ptr<InaNetDevice> device, std::unique_ptr<ina::ParameterServer> server);

    const ina::ParameterServer& GetServer() const;

    /** Number of frames that the servers installed so far have rejected. */
    uint64_t
    GetRejectedFrames() const
    {
        return m_earlierRejectedFrames + GetServer().statistics().rejected_frames;
    }

    void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override;

  protected:
    void DoDispose() override;
    bool SendOne(int64_t ts) override;
    void Expire(int64_t ts) override;

  private:
    void SendAll(int64_t ts);

    std::unique_ptr<ina::ParameterServer> m_server;
    uint64_t m_earlierRejectedFrames{0};
};

} // namespace ns3

#endif // INA_SERVER_APPLICATION_H
