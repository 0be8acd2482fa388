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

/** Description of a run on one line, for messages. */
std::string DescribeRun(const ina::scenarios::ExperimentPoint& run);

/**
 * \ingroup ina-cluster
 * Executes `what` for a run in a new process, which is killed when the calling process dies.
 * Returns the process id, or throws std::system_error. The new process exits with 0, or prints a
 * message and exits with kFailedRun or kEnvironmentError (hw/files/exit_status.hpp).
 */
pid_t StartRunProcess(const ina::scenarios::ExperimentPoint& run,
                      const std::function<void()>& what);

/** Exit status of a process of StartRunProcess(). `waited` is its status from waitpid(). If a
 * signal ended the process, prints a message and returns kEnvironmentError. */
int ExitStatusOf(const ina::scenarios::ExperimentPoint& run, int waited);

} // namespace ns3

#endif // INA_RUN_PROCESS_H
