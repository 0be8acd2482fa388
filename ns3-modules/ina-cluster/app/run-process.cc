/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "run-process.h"

#include "hw/cluster/training/verification_error.hpp"
#include "hw/fields/input_error.hpp"
#include "hw/files/exit_status.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"
#include "ns3/ina-own-simulator.h"
#include "ns3/rng-stream.h"
#include "scenarios/runs/machine_memory.hpp"

#include <fmt/format.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

/// Returns the exit status.
int
Try(const ExperimentPoint& run, const std::function<void()>& what)
{
    try
    {
        what();
        return 0;
    }
    catch (const ina::cluster::TimeLimitReached& late)
    {
        ina::files::report(fmt::format("ina: {}: {}\n", DescribeRun(run), late.what()));
        return ina::exit_status::kFailedRun;
    }
    catch (const ina::cluster::VerificationError& violation)
    {
        ina::files::report(
            fmt::format("ina: {}: verification failed: {}\n", DescribeRun(run), violation.what()));
        return ina::exit_status::kFailedRun;
    }
    catch (const std::bad_alloc&)
    {
        fmt::print(stderr,
                   "ina: {}: {}\n",
                   DescribeRun(run),
                   ina::runs::describe_lack_of_memory(run));
    }
    catch (const std::exception& error)
    {
        ina::files::report(fmt::format("ina: {}: {}\n",
                                       DescribeRun(run),
                                       on_one_line(ina::files::reason_of(error))));
    }
    return ina::exit_status::kEnvironmentError;
}

/// Prepares ns-3 once instead of in each run: the matrix powers of its random generators, which
/// take 5 ms on first use, and its times, which are converted to the resolution.
void
PrepareRuns()
{
    static const RngStream any(1, 1, 1);
    InaOwnSimulator::SetResolution();
}

} // namespace

std::string
DescribeRun(const ExperimentPoint& run)
{
    std::string text = fmt::format("run {}", run.index);
    for (const auto& [pointer, value] : run.labels)
    {
        text += fmt::format(" {}={}", pointer, value);
    }
    return on_one_line(text + fmt::format(" seed={}", run.seed));
}

pid_t
StartRunProcess(const ExperimentPoint& run, const std::function<void()>& what)
{
    PrepareRuns();
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0)
    {
        throw std::system_error(errno, std::generic_category(), "cannot start a process");
    }
    if (child == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::signal(SIGINT, SIG_IGN); // the parent decides
        std::signal(SIGTERM, SIG_DFL);
        const int status = Try(run, what);
        std::fflush(nullptr);
        _exit(status);
    }
    return child;
}

int
ExitStatusOf(const ExperimentPoint& run, int waited)
{
    if (WIFSIGNALED(waited))
    {
        ina::files::report(
            fmt::format("ina: {}: ended by signal {}\n", DescribeRun(run), WTERMSIG(waited)));
    }
    return WIFEXITED(waited) ? WEXITSTATUS(waited) : ina::exit_status::kEnvironmentError;
}

} // namespace ns3
