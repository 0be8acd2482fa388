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
 * Time that a host needs to process each frame or packet that its InaNetDevice sends or receives.
 * Each of the two directions has one queue and some cores that serve it. Attributes are read once,
 * when the first frame passes.
 */
class InaHostStage : public Object
{
  public:
    static TypeId GetTypeId();

    InaHostStage();

    /** Sets all attributes and the seed at once. */
    void Configure(const ina::cluster::HostStage::Config& settings, uint64_t seed);

    /** Called by the device that gets this stage. Aborts if the stage has a device already. */
    void Attach();

    /** Whether frames and packets take any time here. */
    bool
    IsOn() const
    {
        return m_settings.is_on();
    }

    /** Processing of the frames and packets that the host sends. */
    ina::cluster::HostStage&
    Sending()
    {
        return Made().sending;
    }

    /** Processing of the frames and packets that the host receives. */
    ina::cluster::HostStage&
    Receiving()
    {
        return Made().receiving;
    }

    /**
     * Draws the seed from a fixed random stream, unless Configure() sets the seed.
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

    Directions& Made();
    void AbortIfUsed() const;

    ina::cluster::HostStage::Config m_settings;
    Ptr<UniformRandomVariable> m_random;
    std::optional<uint64_t> m_seed;
    std::optional<Directions> m_directions;
    bool m_isAttached{false};
};

} // namespace ns3

#endif // INA_HOST_STAGE_H
