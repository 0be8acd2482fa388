/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "sweep-runner.h"

#include "pcap-files.h"
#include "progress-board.h"
#include "run-manifest.h"
#include "run-process.h"

#include "hw/files/standard_output.hpp"

#include "hw/fields/counted.hpp"
#include "ns3/ina-cluster-run.h"
#include "ns3/ina-own-simulator.h"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/results/run_tables.hpp"
#include "scenarios/runs/finished_runs.hpp"
#include "scenarios/runs/machine_memory.hpp"
#include "scenarios/runs/result_folder.hpp"

#include <fmt/format.h>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

constexpr int STATUS_SIGNAL = 128;
constexpr timespec DRAW_INTERVAL{.tv_sec = 0, .tv_nsec = 20'000'000};

volatile std::sig_atomic_t g_signal = 0;

void
RememberSignal(int signal)
{
    g_signal = signal;
}

/// Keeps SIGCHLD pending for sigtimedwait(), even if the signal arrives earlier or the parent of
/// this program ignored it.
sigset_t
BlockEndsOfChildren()
{
    std::signal(SIGCHLD, SIG_DFL);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, nullptr);
    return ends;
}

} // namespace

SweepRunner::SweepRunner(const std::string& name,
                         const std::vector<const ExperimentPoint*>& runs,
                         const std::filesystem::path& folder,
                         const ina::runs::Build& build,
                         unsigned processes,
                         std::optional<std::chrono::milliseconds> progressInterval) :
    m_name(name),
    m_runs(runs),
    m_folder(folder),
    m_build(build),
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
    const sigset_t endsOfChildren = BlockEndsOfChildren();
    m_processes = std::min(m_processes, std::max<std::size_t>(m_missing.size(), 1));
    m_processes = std::min<std::size_t>(m_processes, ina::runs::runs_in_memory(m_missing));
    m_slotUsed.assign(m_processes, false);
    m_board = std::make_unique<ProgressBoard>(m_name,
                                              m_processes,
                                              std::max<std::size_t>(m_missing.size(), 1),
                                              m_progressInterval);
    while (g_signal == 0 && m_status == 0 && !(m_missing.empty() && m_children.empty()))
    {
        StartChildren();
        sigtimedwait(&endsOfChildren, nullptr, &DRAW_INTERVAL);
        Reap();
        m_board->Draw();
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
        const auto folder = ina::runs::run_folder(m_folder, *point);
        if (ina::runs::has_run_results(folder, *point, m_build))
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
            fmt::format("ina: {}: {} repeated\n", m_name, counted(damaged, "damaged run")));
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
        const pid_t child =
            StartRunProcess(*point, [this, point, slot] { RunPoint(*point, slot); });
        m_slotUsed[slot] = true;
        m_board->PointStarted(slot);
        m_children[child] = {point, slot};
    }
}

void
SweepRunner::RunPoint(const ExperimentPoint& point, std::size_t slot)
{
    const auto start = std::chrono::steady_clock::now();
    const Scenario scenario = point.with_seed();
    const std::filesystem::path unfinished = ina::runs::unfinished_run_folder(m_folder, point);
    std::filesystem::remove_all(unfinished);
    std::filesystem::create_directory(unfinished);
    PcapFiles pcap(ina::cluster::traits_of(scenario.system).format);
    ina::results::RunTables tables(unfinished,
                                   ina::results::cells_of(point),
                                   scenario.jobs.size(),
                                   scenario);
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(
        scenario,
        {.progress = [&](const InaRunProgress& progress) { m_board->Report(slot, progress); },
         .sample = [&](const ina::results::SwitchRow& row) { tables.add(row); },
         .linkSample = [&](const ina::results::LinkSeriesRow& row) { tables.add(row); },
         .iteration = [&](const ina::results::IterationRow& row) { tables.add(row); }});
    if (scenario.outputs.pcap)
    {
        const std::filesystem::path folder = unfinished / "pcap";
        std::filesystem::create_directory(folder);
        pcap.Enable(folder, run.Build());
    }
    const InaRunResult result = run.Run();
    pcap.Close();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Json checksums = tables.finish({.jobs = result.jobs,
                                          .links = result.links,
                                          .occupations = result.occupations,
                                          .flows = result.flows,
                                          .packets = result.packets});
    WriteRunManifest(unfinished,
                     point,
                     result,
                     InaFindingsOf(run.GetResolved(), result),
                     seconds,
                     checksums,
                     m_build.info);
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
        const int ended = ExitStatusOf(*child.point, status);
        if (ended == 0)
        {
            const auto folder = ina::runs::run_folder(m_folder, *child.point);
            std::filesystem::remove_all(folder);
            std::filesystem::rename(ina::runs::unfinished_run_folder(m_folder, *child.point),
                                    folder);
            continue;
        }
        m_status = std::max(m_status, ended);
        std::filesystem::remove_all(ina::runs::unfinished_run_folder(m_folder, *child.point));
    }
}

void
SweepRunner::AbandonChildren()
{
    for (const auto& [pid, child] : m_children)
    {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
        std::filesystem::remove_all(ina::runs::unfinished_run_folder(m_folder, *child.point));
    }
    m_children.clear();
}

} // namespace ns3
