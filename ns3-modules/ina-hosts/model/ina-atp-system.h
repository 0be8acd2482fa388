/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_ATP_SYSTEM_H
#define INA_ATP_SYSTEM_H

#include "ina-hashed-system.h"

namespace ns3
{

/**
 * \ingroup ina-hosts
 * ATP: who comes first keeps an aggregator; what collides is added up at the parameter server,
 * whose results free the aggregators.
 */
class InaAtpSystem : public InaHashedSystem
{
  public:
    static TypeId GetTypeId();

    ina::wire::Protocol Protocol() const override;
    std::unique_ptr<ina::programs::SwitchProgram> MakeProgram(
        uint32_t jobs,
        std::size_t carriedValues) const override;
    std::unique_ptr<ina::WorkerTransport> MakeTransport(const ina::WorkerIdentity& identity,
                                                        ina::ValuePool& pool,
                                                        ina::ResultSink& sink) const override;
    std::unique_ptr<ina::ParameterServer> MakeServer(const ina::ServerIdentity& identity,
                                                     ina::ValuePool& pool) const override;

  private:
    bool m_rehash{false};
    uint32_t m_keptResults{0};
    Time m_requestTimeout;
    Time m_aggregatorExpiry;
};

} // namespace ns3

#endif // INA_ATP_SYSTEM_H
