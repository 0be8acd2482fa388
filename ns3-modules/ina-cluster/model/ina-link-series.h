/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_LINK_SERIES_H
#define INA_LINK_SERIES_H

#include "scenarios/results/rows.hpp"

#include "ns3/ina-link-meter.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace ns3
{

struct InaCluster;

/**
 * \ingroup ina-cluster
 * Activity of all links of a cluster, per interval. Call Report() regularly. Otherwise the memory
 * for unreported intervals grows with the length of the run.
 */
class InaLinkSeries
{
  public:
    using Sink = std::function<void(const ina::results::LinkSeriesRow&)>;

    explicit InaLinkSeries(const Time& interval);

    /** Attaches meters to all links. This object must outlive the use of the links' devices. */
    void ConnectTo(const InaCluster& cluster);
    /** Passes the intervals that have ended by `now` to `sink`, ordered by time and then by link.
     * Omits the intervals during which a link has no activity. */
    void Report(const Time& now, const Sink& sink);
    /** At the end of the run, passes the remaining intervals to `sink`, as Report() does. */
    void Finish(const Sink& sink);

  private:
    template <class EndOf>
    void HandOut(EndOf endOf, const Sink& sink);

    struct Direction
    {
        std::string name;
        InaLinkMeter meter;
    };

    int64_t m_intervalSteps;
    std::deque<Direction> m_directions; //!< a deque, since its meters must not move
};

} // namespace ns3

#endif // INA_LINK_SERIES_H
