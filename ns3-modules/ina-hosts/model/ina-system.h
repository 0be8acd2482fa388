/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SYSTEM_H
#define INA_SYSTEM_H

#include "hw/cluster/systems/system.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/values.hpp"
#include "hw/protocol/wire/format.hpp"
#include "switch-models/programs/switch_program.hpp"

#include "ns3/object.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * One system of in-network aggregation: makes the switch program, the workers' transports and the
 * parameter servers, which have to agree, from one set of attributes. Attributes are read when
 * something is made.
 */
class InaSystem : public Object
{
  public:
    static TypeId GetTypeId();

    /** How the packets stand on the wire. */
    virtual ina::wire::Format GetFormat() const = 0;

    /** Whether its workers add up, and send each other what they have. */
    virtual bool SendsAmongWorkers() const = 0;

    /** Values in a gradient packet. */
    virtual uint32_t GetValuesPerPacket() const = 0;
    /**
     * Slots of a job, whose exponents of block floating point go ahead of its values
     * (ina::exponent_lead_of); 0 if its gradients are integers.
     */
    virtual uint32_t GetExponentSlots() const = 0;

    /**
     * The data plane of a switch.
     *
     * \param jobs How many jobs share the switch at most.
     * \param carriedValues Values that the simulated packets carry, which may be fewer than those
     * they stand for.
     */
    virtual std::unique_ptr<ina::programs::SwitchProgram> MakeProgram(
        uint32_t jobs,
        std::size_t carriedValues) const = 0;

    /**
     * What the control plane installs at that switch for a job.
     *
     * \param number Which of the jobs that share the switch it is, from 0.
     * \param workers How many it has: at most as many as the switch's bitmaps have bits, if it adds
     * them up.
     * \param servers Its parameter servers.
     */
    virtual ina::programs::JobEntry MakeJobEntry(uint32_t number,
                                                 uint16_t workers,
                                                 const ina::wire::JobServers& servers) const = 0;

    /** A worker's transport; the sink must outlive it. Frames must be able to name the worker. */
    virtual std::unique_ptr<ina::WorkerTransport> MakeTransport(const ina::WorkerIdentity& identity,
                                                                ina::ValuePool& pool,
                                                                ina::ResultSink& sink) const = 0;

    /** The parameter server of a job; null if the system has none. Frames must be able to name all
     * workers. */
    virtual std::unique_ptr<ina::ParameterServer> MakeServer(const ina::ServerIdentity& identity,
                                                             ina::ValuePool& pool) const = 0;

    /**
     * Draws the seed of what draws, which the attribute Seed sets too.
     *
     * \param stream The first stream to use.
     * \return How many it used.
     */
    int64_t AssignStreams(int64_t stream);

    /** Sets what determines the sizes that no attribute sets, such as rates and delays. */
    void SetEnvironment(const ina::cluster::Environment& environment);

  protected:
    const ina::cluster::Environment& Environment() const;
    static void RequireBits(const ina::cluster::System& system, uint16_t workers);
    static void RequireMember(const ina::cluster::System& system,
                              const ina::WorkerIdentity& identity);
    static void RequireNames(const ina::cluster::System& system,
                             ina::JobId job,
                             std::span<const ina::wire::AggregationPath> paths);

  private:
    void SetAggregators(uint32_t aggregators);
    uint32_t GetAggregators() const;
    void SetHash(int hash);
    int GetHash() const;
    void SetSeed(uint64_t seed);
    uint64_t GetSeed() const;

    ina::cluster::Environment m_environment;
};

} // namespace ns3

#endif // INA_SYSTEM_H
