/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TRACE_COMMAND_H
#define INA_TRACE_COMMAND_H

#include "scenarios/reader/experiment.hpp"

#include "ns3/ina-timeline.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{

/** Options of a time line (InaTimeline). */
struct TraceRequest
{
    int64_t fromPs{0};
    int64_t toPs{std::numeric_limits<int64_t>::max()}; //!< end of the window, exclusive
    bool frames{false};
    int64_t intervalPs{1'000'000}; //!< between two samples of a link's queue
};

/**
 * Runs a point of an experiment until the window or the run ends. Returns its time line as the text
 * of a JSON file in the Trace Event Format. The text begins with `mark`. Throws InputError if the
 * window has no events or too many.
 */
std::string TraceOf(const std::string& file,
                    const ina::scenarios::ExperimentPoint& point,
                    const TraceRequest& request,
                    const std::string& mark);

} // namespace ns3

#endif // INA_TRACE_COMMAND_H
