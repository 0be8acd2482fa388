/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SWEEP_RUNNER_H
#define INA_SWEEP_RUNNER_H

#include "scenarios/reader/experiment.hpp"
#include "scenarios/runs/build.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ns3
{

class ProgressBoard;

/**
 * \ingroup ina-cluster
 * Runs the points (runs) of an experiment, each in a separate process, several at a time. When a
 * point's results are complete, its folder gets its final name. Points with complete results are
 * not run again.
 */
class SweepRunner
{
  public:
    /**
     * \param name name of the experiment
     * \param runs runs of the experiment; must outlive this object
     * \param folder result folder of the experiment, created by ina::runs::make_result_folder()
     * \param build build of this program; must outlive this object
     * \param processes maximum number of simultaneous points, at least 1
     * \param progressInterval the `interval` of ProgressBoard
     */
    SweepRunner(const std::string& name,
                const std::vector<const ina::scenarios::ExperimentPoint*>& runs,
                const std::filesystem::path& folder,
                const ina::runs::Build& build,
                unsigned processes,
                std::optional<std::chrono::milliseconds> progressInterval = {});
    ~SweepRunner();

    /** From now on, SIGINT and SIGTERM make Run() stop its processes and return. A signal that
     * comes outside Run() is only recorded. */
    static void CatchSignals();

    /**
     * Returns the exit status: 0 if all points are complete, 130 after SIGINT, 143 after SIGTERM.
     * If runs failed, prints a message for each of them and returns the highest of their statuses
     * (hw/files/exit_status.hpp).
     */
    int Run();

    std::size_t
    PointsReused() const
    {
        return m_reused;
    }

  private:
    struct Child
    {
        const ina::scenarios::ExperimentPoint* point;
        std::size_t slot;
    };

    void FindMissing();
    void StartChildren();
    void RunPoint(const ina::scenarios::ExperimentPoint& point, std::size_t slot);
    void Reap();
    void AbandonChildren();

    std::string m_name;
    std::vector<const ina::scenarios::ExperimentPoint*> m_runs;
    std::filesystem::path m_folder;
    const ina::runs::Build& m_build;
    std::size_t m_processes;
    std::optional<std::chrono::milliseconds> m_progressInterval;
    std::vector<const ina::scenarios::ExperimentPoint*> m_missing; //!< runs to do, in reverse order
    std::map<pid_t, Child> m_children;
    std::vector<bool> m_slotUsed;
    std::unique_ptr<ProgressBoard> m_board;
    std::size_t m_reused{0};
    int m_status{0};
};

} // namespace ns3

#endif // INA_SWEEP_RUNNER_H
