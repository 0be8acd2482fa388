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
#include <string>

namespace ns3
{

/** What a time line is asked for. */
struct TraceRequest
{
    InaTimeline::Config window;
    int64_t intervalPs{1'000'000}; //!< between two values of a queue
};

/**
 * Runs a point of an experiment until the window is over, or the run, and returns its time line as
 * a JSON file of the Trace Event Format; `mark` is its beginning. Throws InputError if there is
 * nothing in the window or too much.
 */
std::string TraceOf(const std::string& file,
                    const ina::scenarios::ExperimentPoint& point,
                    const TraceRequest& request,
                    const std::string& mark);

} // namespace ns3

#endif // INA_TRACE_COMMAND_H
