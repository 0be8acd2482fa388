/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_HOST_STAGE_H
#define INA_HOST_STAGE_H

#include "ina-settings-attributes.h"

#include "hw/cluster/network/host_stage.hpp"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * \ingroup ina-network
 * Processing time that a host needs for each frame or packet that its InaNetDevice sends or
 * receives. In each direction, a number of cores serve one queue. Attributes are read when the
 * first frame passes.
 */
class InaHostStage : public Object
{
  public:
    static TypeId GetTypeId();

    InaHostStage();

    /** Sets all attributes and the seed at once. */
    void Configure(const ina::cluster::HostStage::Config& settings, uint64_t seed);

    /** Called by the device of the host. Each host has its own stage. */
    void Attach();

    /** Whether packets take any time. */
    bool
    IsOn() const
    {
        return m_settings.is_on();
    }

    /** Whether the host may take a packet before one that arrived earlier. */
    bool
    Reorders()
    {
        return Made().receiving.reorders();
    }

    /** Time step at which a packet of `bytes` sent by the host at `ts` reaches the line. */
    int64_t
    Send(uint32_t bytes, int64_t ts)
    {
        return Made().sending.send(bytes, ina::Time(ts)).count();
    }

    /** Time step at which a core is free for the next packet that the host sends. */
    int64_t
    SenderIdleTs()
    {
        return Made().sending.idle_at().count();
    }

    /** Time step at which the host takes a packet of `bytes` that arrives at `ts`; nothing if the
     * queue is full. */
    std::optional<int64_t> Receive(uint32_t bytes, int64_t ts);

    /**
     * Draws the seed from a fixed stream, unless Configure() set it.
     *
     * \param stream The first stream.
     * \return Number of streams used.
     */
    int64_t AssignStreams(int64_t stream);

  private:
    friend class InaSettingsAccessor<InaHostStage>;

    struct Directions
    {
        ina::cluster::HostStage sending;
        ina::cluster::HostStage receiving;
    };

    Directions&
    Made()
    {
        if (!m_directions) [[unlikely]]
        {
            Make();
        }
        return *m_directions;
    }

    void Make();

    ina::cluster::HostStage::Config m_settings;
    Ptr<UniformRandomVariable> m_random;
    std::optional<uint64_t> m_seed;
    std::optional<Directions> m_directions;
    bool m_isAttached{false};
};

} // namespace ns3

#endif // INA_HOST_STAGE_H
