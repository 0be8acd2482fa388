/* SPDX-License-Identifier: GPL-2.0-only */
#include "other-work.h"

#include "measurement.h"

#include <fmt/format.h>

#include <unistd.h>

#include <fstream>

namespace
{

constexpr double MOST_WHEN_QUIET = 0.1; // processors

/// Processor time of this process or of its ended children.
double
OwnSeconds(int who)
{
    rusage usage{};
    getrusage(who, &usage);
    return ProcessorSeconds(usage);
}

/// Processor time of the whole machine since its start, including time that other virtual machines
/// took. See proc(5).
double
MachineSeconds()
{
    std::ifstream stat("/proc/stat");
    std::string name;
    double user = 0;
    double nice = 0;
    double system = 0;
    double idle = 0;
    double waiting = 0;
    double hardIrq = 0;
    double softIrq = 0;
    double stolen = 0;
    stat >> name >> user >> nice >> system >> idle >> waiting >> hardIrq >> softIrq >> stolen;
    return (user + nice + system + hardIrq + softIrq + stolen) /
           static_cast<double>(sysconf(_SC_CLK_TCK));
}

double
OtherSeconds()
{
    return MachineSeconds() - OwnSeconds(RUSAGE_SELF) - OwnSeconds(RUSAGE_CHILDREN);
}

} // namespace

OtherWork::OtherWork() : m_start(std::chrono::steady_clock::now()), m_seconds(OtherSeconds()) {}

double
OtherWork::Processors() const
{
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_start;
    return (OtherSeconds() - m_seconds) / elapsed.count();
}

bool
OtherWork::IsQuiet() const
{
    return Processors() <= MOST_WHEN_QUIET;
}

std::string
OtherWork::Verdict(const std::string& verdict) const
{
    return IsQuiet() ? verdict : "not quiet";
}

std::string
OtherWork::Line() const
{
    return fmt::format("Other programs used {:.1f} processors on average: {} (at most {:.1f})\n",
                       Processors(),
                       IsQuiet() ? "quiet" : "not quiet",
                       MOST_WHEN_QUIET);
}
