/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_LINK_FAULTS_H
#define INA_LINK_FAULTS_H

#include "hw/cluster/faults/link_faults.hpp"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup ina-network
 * Faults of one direction of a link: loss, alone, in bursts or of certain frames, corruption,
 * duplication, reordering. Attributes are read when the first frame passes.
 */
class InaLinkFaults : public Object
{
  public:
    static TypeId GetTypeId();

    InaLinkFaults();

    /** Frames that are lost, by their numbers, from 0, among those that the faults concern. */
    void SetLostFrames(const std::vector<uint64_t>& numbers);

    /** What happens to a frame that leaves at time step `ts`. */
    ina::faults::LinkFaults::Fate
    Decide(const ina::Frame& frame, int64_t ts)
    {
        return Made().decide(frame, ina::Time(ts));
    }

    /** To a packet of ns-3, which faults of certain classes of frames do not concern. */
    ina::faults::LinkFaults::Fate
    DecideOnPacket(int64_t ts)
    {
        return Made().decide_on_other(ina::Time(ts));
    }

    /**
     * \param stream The first stream.
     * \return How many streams were used.
     */
    int64_t AssignStreams(int64_t stream);

  private:
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

    ina::faults::FrameClasses m_classes{0};
    Time m_from;
    Time m_until;
    std::vector<uint64_t> m_lostFrames;
    double m_loss{0};
    double m_burstStart{0};
    double m_burstEnd{0};
    Time m_burstMeanDuration;
    double m_burstLoss{0};
    double m_corruption{0};
    double m_duplication{0};
    double m_reordering{0};
    Time m_reorderingDelay;
    Ptr<UniformRandomVariable> m_seed;
    std::optional<ina::faults::LinkFaults> m_faults;
};

} // namespace ns3

#endif // INA_LINK_FAULTS_H
