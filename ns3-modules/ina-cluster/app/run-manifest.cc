/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "run-manifest.h"

#include "ns3/ina-findings.h"

#include "hw/files/whole_file.hpp"
#include "scenarios/runs/finished_runs.hpp"
#include "scenarios/runs/machine_memory.hpp"
#include "scenarios/runs/result_folder.hpp"
#include "scenarios/runs/run_summary.hpp"

namespace ns3
{

using namespace ina::scenarios;

namespace
{

/// Array of {what, key, amount, text}.
Json
ToJson(const std::vector<InaFinding>& findings)
{
    Json json = Json::array();
    for (const InaFinding& finding : findings)
    {
        json.push_back({{"what", finding.what},
                        {"key", finding.key},
                        {"amount", finding.amount},
                        {"text", finding.text}});
    }
    return json;
}

} // namespace

void
WriteRunManifest(const std::filesystem::path& folder,
                 const ExperimentPoint& point,
                 const InaRunResult& result,
                 const std::vector<InaFinding>& findings,
                 double wallSeconds,
                 const Json& tablesCrc32,
                 const Json& build)
{
    Json manifest;
    manifest["format_version"] = ina::runs::kFormatVersion;
    manifest["point"] = point.index;
    manifest["seed"] = point.seed;
    manifest.update(ina::runs::identity_of(point));
    manifest["build"] = build;
    manifest["simulated_ps"] = result.simulatedTime.GetPicoSeconds();
    manifest["packet_hops"] = result.packetHops;
    manifest["switch_rejected_frames"] = result.switchRejectedFrames;
    manifest["switch_frames_without_route"] = result.framesWithoutRoute;
    manifest["switch_frames_lost_between_passes"] = result.framesLostBetweenPasses;
    manifest["switch_frames_while_down"] = result.framesWhileDown;
    manifest["swept_late_copies"] = result.sweptLateCopies;
    manifest["summary"] = ina::runs::to_json(ina::runs::summary_of(result.jobs));
    manifest["findings"] = ToJson(findings);
    manifest["wall_time_s"] = wallSeconds;
    manifest["packet_hops_per_s"] = static_cast<double>(result.packetHops) / wallSeconds;
    manifest["peak_resident_bytes"] = ina::runs::peak_resident_bytes();
    manifest["tables_crc32"] = tablesCrc32;
    ina::files::write(folder / "manifest.json", manifest.dump(2) + '\n');
}

} // namespace ns3
