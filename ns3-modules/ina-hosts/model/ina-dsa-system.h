/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_DSA_SYSTEM_H
#define INA_DSA_SYSTEM_H

#include "ina-hashed-system.h"

#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/join_priority.hpp"

namespace ns3
{

/**
 * \ingroup ina-hosts
 * DSA: a policy decides who keeps an aggregator; the switch answers the workers; the parameter
 * server completes what was split.
 */
class InaDsaSystem : public InaHashedSystem
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

    /**
     * Draws CoinSeed, so that a policy that draws follows the seed and run of RngSeedManager;
     * before MakeProgram().
     *
     * \param stream The first stream.
     * \return How many streams were used.
     */
    int64_t AssignStreams(int64_t stream);

  private:
    void SetJoinPriority(int join);
    int GetJoinPriority() const;

    ina::policies::CollisionPolicy m_policy;
    ina::programs::JoinPriority m_joinPriority{ina::programs::JoinPriority::keep};
    uint64_t m_coinSeed{0};
    Time m_reminderMinTimeout;
    Time m_aggregatorExpiry;
};

} // namespace ns3

#endif // INA_DSA_SYSTEM_H
