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

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace ns3
{

struct InaCluster;

/**
 * \ingroup ina-cluster
 * What all links of a cluster do, interval by interval. Whoever runs it reports from time to time,
 * so that nothing grows with the length of the run.
 */
class InaLinkSeries
{
  public:
    using Sink = std::function<void(const ina::results::LinkSeriesRow&)>;

    explicit InaLinkSeries(int64_t intervalSteps);

    /** Meters all links from now on; must outlive their devices' use. */
    void ConnectTo(const InaCluster& cluster);
    /** Hands out the intervals that are over at `ts`, in the order of time and then of the
     * cluster's links. Intervals with nothing on a link are left out. */
    void Report(int64_t ts, const Sink& sink);
    /** Nothing more will come: hands out the rest, in the order of time. */
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
    std::deque<Direction> m_directions; //!< whose meters must stay where they are
};

} // namespace ns3

#endif // INA_LINK_SERIES_H
