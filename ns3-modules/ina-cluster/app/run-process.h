/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_RUN_PROCESS_H
#define INA_RUN_PROCESS_H

#include "scenarios/reader/experiment.hpp"

#include <functional>
#include <string>

#include <sys/types.h>

namespace ns3
{

/** Description of a run for messages, on one line. */
std::string DescribeRun(const ina::scenarios::ExperimentPoint& run);

/**
 * \ingroup ina-cluster
 * Executes a function for a run in a process of its own, which is killed when this one dies.
 * Returns the process id, or throws std::system_error. The exit status is 0, or, after a message,
 * kFailedRun or kEnvironmentError (hw/files/exit_status.hpp).
 */
pid_t StartRunProcess(const ina::scenarios::ExperimentPoint& run,
                      const std::function<void()>& what);

/** Exit status of a process of StartRunProcess(), given the status from waitpid(). If a signal
 * ended the process, prints a message and returns kEnvironmentError. */
int ExitStatusOf(const ina::scenarios::ExperimentPoint& run, int waited);

} // namespace ns3

#endif // INA_RUN_PROCESS_H
