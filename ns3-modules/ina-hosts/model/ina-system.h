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
#include "switch-models/programs/make_program.hpp"
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
 * A system of in-network aggregation. From one set of attributes it creates the switch program, the
 * workers' transports and the parameter servers, which must agree. Attributes are read on each
 * creation.
 */
class InaSystem : public Object
{
  public:
    static TypeId GetTypeId();

    /** Wire format of its packets. */
    virtual ina::wire::Format GetFormat() const = 0;

    /** Whether workers send to each other and add values themselves. */
    virtual bool SendsAmongWorkers() const = 0;

    /** Number of values in a gradient packet. */
    virtual uint32_t GetValuesPerPacket() const = 0;
    /**
     * With block floating point, number of slots of a job, as for ina::exponent_lead_of(). 0 if
     * packets carry no exponents.
     */
    virtual uint32_t GetExponentSlots() const = 0;

    /**
     * Creates the data plane of a switch.
     *
     * \param jobs Maximum number of jobs that share the switch.
     * \param carriedValues Number of values that simulated packets carry; may be less than the
     * number that they represent.
     */
    virtual std::unique_ptr<ina::programs::SwitchProgram> MakeProgram(
        uint32_t jobs,
        std::size_t carriedValues) const = 0;

    /**
     * Table entry that the control plane installs for a job at a switch with that program.
     *
     * \param number Number of the job among those that share the switch, from 0.
     * \param workers Number of workers; limited by the bits of the switch's bitmaps if it
     * aggregates.
     * \param servers Parameter servers of the job.
     */
    virtual ina::programs::JobEntry MakeJobEntry(uint32_t number,
                                                 uint16_t workers,
                                                 const ina::wire::JobServers& servers) const = 0;

    /** Creates a worker's transport; the sink must outlive it. The headers of frames must be able
     * to encode the worker. */
    virtual std::unique_ptr<ina::WorkerTransport> MakeTransport(const ina::WorkerIdentity& identity,
                                                                ina::ValuePool& pool,
                                                                ina::ResultSink& sink) const = 0;

    /** Creates a parameter server of a job; null if the system has none. The headers of frames must
     * be able to encode all workers. */
    virtual std::unique_ptr<ina::ParameterServer> MakeServer(const ina::ServerIdentity& identity,
                                                             ina::ValuePool& pool) const = 0;

    /**
     * Draws the seed for all random decisions, which the attribute Seed also sets.
     *
     * \param stream The first stream to use.
     * \return Number of streams used.
     */
    int64_t AssignStreams(int64_t stream);

    /** Sets the properties of the network, such as rates and delays. Sizes whose attribute is not
     * set are derived from them. */
    void SetEnvironment(const ina::cluster::Environment& environment);

  protected:
    /** How the programs that MakeProgram() creates run. */
    ina::programs::RunMode
    ProgramMode() const
    {
        return {.separate_passes = m_separatePasses};
    }

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
    bool m_separatePasses{false};
};

} // namespace ns3

#endif // INA_SYSTEM_H
