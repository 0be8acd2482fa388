/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_LINK_FAULTS_H
#define INA_LINK_FAULTS_H

#include "ina-settings-attributes.h"

#include "hw/cluster/faults/link_faults.hpp"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup ina-network
 * Faults of one direction of a link: independent losses, bursts, loss of given frames, corruption,
 * duplication and reordering. Attributes are read once, when the first frame passes.
 */
class InaLinkFaults : public Object
{
  public:
    static TypeId GetTypeId();

    InaLinkFaults();

    /** Sets all attributes, the frames to lose, and the seed at once. */
    void Configure(const ina::faults::LinkFaults::Config& settings, uint64_t seed);

    /** Sets the frames to lose, by their numbers among the frames that the faults apply to, from 0.
     */
    void SetLostFrames(const std::vector<uint64_t>& numbers);

    /** Outcome for a frame that leaves at time step `ts`. */
    ina::faults::LinkFaults::Outcome
    Decide(const ina::Frame& frame, int64_t ts)
    {
        return Made().decide(frame, ina::Time(ts));
    }

    /** Outcome for an ns-3 packet. Faults limited to certain frames do not apply to it. */
    ina::faults::LinkFaults::Outcome
    DecideOnPacket(int64_t ts)
    {
        return Made().decide_on_other(ina::Time(ts));
    }

    /**
     * Makes the seed be drawn from a fixed stream, unless Configure() sets it.
     *
     * \param stream The first stream.
     * \return Number of streams used.
     */
    int64_t AssignStreams(int64_t stream);

  private:
    friend class InaSettingsAccessor<InaLinkFaults>;

    ina::faults::LinkFaults&
    Made()
    {
        if (!m_faults)
        {
            Make();
        }
        return *m_faults;
    }

    void Make();

    ina::faults::LinkFaults::Config m_settings;
    Ptr<UniformRandomVariable> m_random;
    std::optional<uint64_t> m_seed;
    std::optional<ina::faults::LinkFaults> m_faults;
};

} // namespace ns3

#endif // INA_LINK_FAULTS_H
