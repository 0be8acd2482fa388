/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_HOST_HELPER_H
#define INA_HOST_HELPER_H

#include "ns3/ina-server-application.h"
#include "ns3/ina-worker-application.h"
#include "ns3/object-factory.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * Makes nodes workers and parameter servers: adds the application to the node of a InaNetDevice,
 * which it uses from now on.
 */
class InaHostHelper
{
  public:
    InaHostHelper();

    void SetWorkerAttribute(const std::string& name, const AttributeValue& value);
    void SetServerAttribute(const std::string& name, const AttributeValue& value);

    Ptr<InaWorkerApplication> InstallWorker(Ptr<NetDevice> device,
                                            std::unique_ptr<ina::WorkerTransport> transport) const;
    Ptr<InaServerApplication> InstallServer(Ptr<NetDevice> device,
                                            std::unique_ptr<ina::ParameterServer> server) const;

  private:
    ObjectFactory m_workers;
    ObjectFactory m_servers;
};

} // namespace ns3

#endif // INA_HOST_HELPER_H
