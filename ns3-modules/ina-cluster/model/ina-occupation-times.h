/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_OCCUPATION_TIMES_H
#define INA_OCCUPATION_TIMES_H

#include "hw/cluster/time_histogram.hpp"
#include "scenarios/results/rows.hpp"

#include "ns3/ina-control-plane.h"
#include "ns3/ina-switch.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

struct InaCluster;

/**
 * \ingroup ina-cluster
 * Durations for which tasks hold aggregators. A task holds an aggregator from the packet that
 * reserves it to the event that frees it: a result, a preemption, a reminder, the end of the job,
 * or a reboot of the switch. Under SwitchML, an aggregator is one of the two copies of a slot.
 */
class InaOccupationTimes
{
  public:
    /** Connects to all switches. This object must not move and must outlive the run. */
    void ConnectTo(const InaCluster& cluster);
    /** Ends the recording: aggregators that are still held count as freed at `end`. Returns the
     * rows in the order of switch, job and duration (shortest first). */
    std::vector<ina::results::OccupationRow> Finish(const Time& end);

  private:
    /// Receives the events of one switch and keeps the state of its aggregators.
    class AtSwitch
    {
      public:
        AtSwitch(InaOccupationTimes& times,
                 const std::string& name,
                 const Ptr<InaSwitch>& inaSwitch);

        void Release(int64_t ts);
        void AddTo(std::vector<ina::results::OccupationRow>& rows) const;

      private:
        static constexpr int64_t FREE = -1;

        struct Aggregator
        {
            int64_t sinceTs{FREE};
            uint16_t job{0};
        };

        void Allocated(uint16_t id, uint32_t psn, uint32_t index);
        void Freed(uint16_t id, uint32_t psn, uint32_t index);
        void WentDown(uint32_t node);
        void Add(Aggregator& aggregator, int64_t ts);

        InaOccupationTimes& m_times;
        std::string m_name;
        std::vector<ina::cluster::TimeHistogram> m_histograms; //!< by job
        std::vector<Aggregator> m_aggregators;                 //!< by index
        Aggregator m_preempted; //!< previous owner, from AggregatorAllocated to AggregatorFreed
    };

    std::size_t m_jobs{0};
    Ptr<InaControlPlane> m_control;  //!< maps ids in frames to jobs
    std::deque<AtSwitch> m_switches; //!< a deque, since its elements must not move
    bool m_over{false};
};

} // namespace ns3

#endif // INA_OCCUPATION_TIMES_H
