/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_POINT_RESULTS_H
#define INA_POINT_RESULTS_H

#include "ns3/ina-cluster-run.h"
#include "scenarios/reader/experiment.hpp"
#include "scenarios/results/run_tables.hpp"

#include <cstdint>
#include <filesystem>

namespace ns3
{

/**
 * The tables and the manifest of one run. What grows with the run's length (switch.csv,
 * iterations.csv, link_series.csv) is written row by row while it runs. Everything throws
 * std::runtime_error with the path and the reason.
 */
class RunTables
{
  public:
    /** \param folder of the run; it must exist */
    RunTables(const std::filesystem::path& folder, const ina::scenarios::ExperimentPoint& point);

    void Add(const InaSwitchSample& sample);
    void Add(const InaLinkSample& sample);
    /** The next iteration of a job. */
    void Add(std::size_t job, uint32_t index, const ina::cluster::JobIteration& iteration);
    /** After the run. */
    void Finish(const InaRunResult& result, double wallSeconds);

  private:
    std::filesystem::path m_folder;
    const ina::scenarios::ExperimentPoint& m_point;
    ina::results::RunTables m_tables;
};

} // namespace ns3

#endif // INA_POINT_RESULTS_H
