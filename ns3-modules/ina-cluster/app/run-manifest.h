/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_RUN_MANIFEST_H
#define INA_RUN_MANIFEST_H

#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

#include "ns3/ina-cluster-run.h"
#include "ns3/ina-findings.h"

#include <filesystem>
#include <vector>

namespace ns3
{

/**
 * Writes manifest.json of a run. Throws std::runtime_error with the path and the reason.
 *
 * \param folder Folder of the run.
 * \param point Point of the experiment that was run.
 * \param result Result of the run.
 * \param findings Findings about the run.
 * \param wallSeconds Wall-clock duration of the run.
 * \param tablesCrc32 Checksums of the run's tables, by table name.
 * \param build Build record of this program (ina::runs::Build::info).
 */
void WriteRunManifest(const std::filesystem::path& folder,
                      const ina::scenarios::ExperimentPoint& point,
                      const InaRunResult& result,
                      const std::vector<InaFinding>& findings,
                      double wallSeconds,
                      const ina::fields::Json& tablesCrc32,
                      const ina::fields::Json& build);

} // namespace ns3

#endif // INA_RUN_MANIFEST_H
