/* SPDX-License-Identifier: GPL-2.0-only */
#include "sweep-runner.h"

#include "finished-runs.h"
#include "machine-memory.h"
#include "point-results.h"
#include "progress-board.h"
#include "result-folder.h"

#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"

#include "hw/cluster/verification_error.hpp"
#include "hw/fields/counted.hpp"
#include "hw/fields/input_error.hpp"
#include "ns3/ina-cluster-run.h"
#include "ns3/ina-pcap-helper.h"
#include "scenarios/reader/scenario_sizes.hpp"

#include <fmt/format.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>
#include <thread>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

constexpr int STATUS_FAILED = 1;
constexpr int STATUS_VIOLATION = 3;
constexpr int STATUS_SIGNAL = 128;
constexpr std::chrono::milliseconds POLL_INTERVAL{20};

volatile std::sig_atomic_t g_signal = 0;

void
RememberSignal(int signal)
{
    g_signal = signal;
}

std::string
describe(const ExperimentPoint& point)
{
    std::string text = fmt::format("run {}", point.index);
    for (const auto& [pointer, value] : point.labels)
    {
        text += fmt::format(" {}={}", pointer, value);
    }
    return on_one_line(text + fmt::format(" seed={}", point.seed));
}

} // namespace

SweepRunner::SweepRunner(const std::string& name,
                         const std::vector<const ExperimentPoint*>& runs,
                         const std::filesystem::path& folder,
                         unsigned processes,
                         std::optional<std::chrono::milliseconds> progressInterval) :
    m_name(name),
    m_runs(runs),
    m_folder(folder),
    m_processes(processes),
    m_progressInterval(progressInterval)
{
}

SweepRunner::~SweepRunner() = default;

void
SweepRunner::CatchSignals()
{
    std::signal(SIGINT, RememberSignal);
    std::signal(SIGTERM, RememberSignal);
}

int
SweepRunner::Run()
{
    FindMissing();
    m_processes = std::min(m_processes, std::max<std::size_t>(m_missing.size(), 1));
    m_processes = std::min<std::size_t>(m_processes, RunsInMemory(m_missing));
    m_slotUsed.assign(m_processes, false);
    m_board = std::make_unique<ProgressBoard>(m_name,
                                              m_processes,
                                              std::max<std::size_t>(m_missing.size(), 1),
                                              m_progressInterval);
    while (g_signal == 0 && m_status == 0 && !(m_missing.empty() && m_children.empty()))
    {
        StartChildren();
        Reap();
        m_board->Draw();
        std::this_thread::sleep_for(POLL_INTERVAL);
    }
    m_board->Clear();
    AbandonChildren();
    return g_signal != 0 ? STATUS_SIGNAL + g_signal : m_status;
}

void
SweepRunner::FindMissing()
{
    std::size_t damaged = 0;
    for (const ExperimentPoint* point : m_runs)
    {
        const auto folder = RunFolder(m_folder, *point);
        if (HasRunResults(folder, *point))
        {
            ++m_reused;
        }
        else
        {
            m_missing.push_back(point);
            damaged += std::filesystem::exists(folder) ? 1 : 0;
        }
    }
    if (damaged != 0)
    {
        ina::files::report(
            fmt::format("ina: {}: {} made anew\n", m_name, counted(damaged, "damaged run")));
    }
    std::reverse(m_missing.begin(), m_missing.end());
}

void
SweepRunner::StartChildren()
{
    while (m_children.size() < m_processes && !m_missing.empty())
    {
        const ExperimentPoint* point = m_missing.back();
        m_missing.pop_back();
        const auto slot = static_cast<std::size_t>(
            std::find(m_slotUsed.begin(), m_slotUsed.end(), false) - m_slotUsed.begin());
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child < 0)
        {
            throw std::system_error(errno, std::generic_category(), "cannot start a process");
        }
        if (child == 0)
        {
            RunChild(*point, slot);
        }
        m_slotUsed[slot] = true;
        m_board->PointStarted(slot);
        m_children[child] = {point, slot};
    }
}

void
SweepRunner::RunChild(const ExperimentPoint& point, std::size_t slot)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN); // the parent decides
    std::signal(SIGTERM, SIG_DFL);
    int status = STATUS_FAILED;
    try
    {
        const auto start = std::chrono::steady_clock::now();
        const Scenario scenario = point.with_seed();
        const std::filesystem::path unfinished = UnfinishedRunFolder(m_folder, point);
        std::filesystem::remove_all(unfinished);
        std::filesystem::create_directory(unfinished);
        InaPcapHelper pcap(scenario.system);
        RunTables tables(unfinished, point);
        InaClusterRun run(
            scenario,
            {.progress = [&](const InaRunProgress& progress) { m_board->Report(slot, progress); },
             .sample = [&](const InaSwitchSample& sample) { tables.Add(sample); },
             .linkSample = [&](const InaLinkSample& sample) { tables.Add(sample); },
             .iteration =
                 [&](std::size_t job, uint32_t index, const ina::cluster::JobIteration& iteration)
             { tables.Add(job, index, iteration); }});
        if (scenario.outputs.pcap)
        {
            const std::filesystem::path folder = unfinished / "pcap";
            std::filesystem::create_directory(folder);
            pcap.EnablePcap(folder, run.Build());
        }
        const InaRunResult result = run.Run();
        pcap.Close();
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        tables.Finish(result, seconds);
        status = 0;
    }
    catch (const ina::cluster::TimeLimitReached& late)
    {
        status = STATUS_VIOLATION;
        ina::files::report(fmt::format("ina: {}: {}\n", describe(point), late.what()));
    }
    catch (const ina::cluster::VerificationError& violation)
    {
        status = STATUS_VIOLATION;
        ina::files::report(
            fmt::format("ina: {}: verification failed: {}\n", describe(point), violation.what()));
    }
    catch (const std::bad_alloc&)
    {
        fmt::print(stderr, "ina: {}: {}\n", describe(point), DescribeLackOfMemory(point));
    }
    catch (const std::exception& error)
    {
        ina::files::report(fmt::format("ina: {}: {}\n",
                                       describe(point),
                                       on_one_line(ina::files::reason_of(error))));
    }
    std::fflush(nullptr);
    _exit(status);
}

void
SweepRunner::Reap()
{
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG))
    {
        const Child child = m_children.at(pid);
        m_children.erase(pid);
        m_slotUsed[child.slot] = false;
        m_board->PointEnded(child.slot);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        {
            const auto folder = RunFolder(m_folder, *child.point);
            std::filesystem::remove_all(folder);
            std::filesystem::rename(UnfinishedRunFolder(m_folder, *child.point), folder);
            continue;
        }
        if (WIFSIGNALED(status))
        {
            ina::files::report(fmt::format("ina: {}: ended by signal {}\n",
                                           describe(*child.point),
                                           WTERMSIG(status)));
        }
        m_status = std::max(m_status, WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_FAILED);
        std::filesystem::remove_all(UnfinishedRunFolder(m_folder, *child.point));
    }
}

void
SweepRunner::AbandonChildren()
{
    for (const auto& [pid, child] : m_children)
    {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
        std::filesystem::remove_all(UnfinishedRunFolder(m_folder, *child.point));
    }
    m_children.clear();
}

} // namespace ns3
