/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_POINT_RESULTS_H
#define INA_POINT_RESULTS_H

#include "csv-row.h"
#include "streamed-file.h"

#include "ns3/cluster-run.h"
#include "scenarios/reader/experiment.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// The tables of a result folder; analysis/README.md explains their columns.
inline constexpr std::array<const char*, 4> RESULT_TABLES = {"jobs.csv",
                                                             "iterations.csv",
                                                             "switch.csv",
                                                             "links.csv"};

/** Of the iterations of a job, in picoseconds. */
struct IterationTimes
{
    int64_t count{0};
    int64_t sum{0};
    int64_t least{0};
    int64_t most{0};
};

/**
 * The tables and the manifest of one run. What grows with the run's length (switch.csv,
 * iterations.csv) is written row by row while it runs. Everything throws std::runtime_error with
 * the path and the reason.
 */
class RunTables
{
  public:
    /** \param folder of the run; it must exist */
    RunTables(const std::filesystem::path& folder, const ina::scenarios::ExperimentPoint& point);

    void Add(const SwitchSample& sample);
    /** The next iteration of a job. */
    void Add(std::size_t job, uint32_t index, const IterationResult& iteration);
    /** After the run. */
    void Finish(const RunResult& result, double wallSeconds);

  private:
    std::filesystem::path IterationsOf(std::size_t job) const;
    std::string MergeIterations();

    std::filesystem::path m_folder;
    const ina::scenarios::ExperimentPoint& m_point;
    CsvRow m_lead; //!< the cells that begin every row
    StreamedFile m_switchTable;
    std::vector<std::unique_ptr<StreamedFile>> m_iterations; //!< rows of each job
    std::vector<IterationTimes> m_times;                     //!< of each job
};

} // namespace ns3

#endif // INA_POINT_RESULTS_H
