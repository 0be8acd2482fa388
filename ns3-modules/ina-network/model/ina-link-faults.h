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
 * Faults of one direction of a link: independent losses, losses in bursts or of given frames,
 * corruption, duplication and reordering. Attributes are read once, when the first frame passes.
 */
class InaLinkFaults : public Object
{
  public:
    static TypeId GetTypeId();

    InaLinkFaults();

    /** Sets all attributes, the frames to lose, and the seed at once. */
    void Configure(const ina::faults::LinkFaults::Config& settings, uint64_t seed);

    /** Sets the frames to lose, by their numbers. Only frames to which the faults apply are
     * numbered, starting from 0. */
    void SetLostFrames(const std::vector<uint64_t>& numbers);

    /** Effect of the faults on a frame that leaves at time step `ts`. */
    ina::faults::LinkFaults::Outcome
    Decide(const ina::Frame& frame, int64_t ts)
    {
        return Made().decide(frame, ina::Time(ts));
    }

    /** Effect on an ns-3 packet; none if the faults are limited to some kinds of frames. */
    ina::faults::LinkFaults::Outcome
    DecideOnPacket(int64_t ts)
    {
        return Made().decide_on_other(ina::Time(ts));
    }

    /**
     * Draws the seed from a fixed random stream, unless Configure() sets the seed.
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
    void AbortIfUsed() const;

    ina::faults::LinkFaults::Config m_settings;
    Ptr<UniformRandomVariable> m_random;
    std::optional<uint64_t> m_seed;
    std::optional<ina::faults::LinkFaults> m_faults;
};

} // namespace ns3

#endif // INA_LINK_FAULTS_H
