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

/** A run in messages, on one line. */
std::string DescribeRun(const ina::scenarios::ExperimentPoint& run);

/**
 * \ingroup ina-cluster
 * Does something with a run in a process of its own, which dies with this one. Returns its id; its
 * exit status is 0, or after a message kFailedRun or kEnvironmentError (hw/files/exit_status.hpp).
 */
pid_t StartRunProcess(const ina::scenarios::ExperimentPoint& run,
                      const std::function<void()>& what);

/** What the status of waitpid() says, for processes of StartRunProcess(). Says which signal ended
 * one. */
int ExitStatusOf(const ina::scenarios::ExperimentPoint& run, int waited);

} // namespace ns3

#endif // INA_RUN_PROCESS_H
