/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-manifest.h"

#include "build-info.h"
#include "finished-runs.h"
#include "grouped-findings.h"
#include "machine-memory.h"
#include "result-folder.h"

#include "hw/files/whole_file.hpp"

namespace ns3
{

using namespace ina::scenarios;

void
WriteRunManifest(const std::filesystem::path& folder,
                 const ExperimentPoint& point,
                 const InaRunResult& result,
                 double wallSeconds,
                 const Json& tablesCrc32)
{
    Json manifest;
    manifest["format_version"] = FORMAT_VERSION;
    manifest["point"] = point.index;
    manifest["seed"] = point.seed;
    manifest.update(RunOf(point));
    manifest["build"] = BuildInfo();
    manifest["simulated_ps"] = result.simulatedPs;
    manifest["packet_hops"] = result.packetHops;
    manifest["switch_rejected_frames"] = result.switchRejectedFrames;
    manifest["switch_frames_without_route"] = result.framesWithoutRoute;
    manifest["switch_frames_while_down"] = result.framesWhileDown;
    manifest["swept_late_copies"] = result.sweptLateCopies;
    manifest["findings"] = FindingsJson(InaFindingsOf(point.with_seed(), result));
    manifest["wall_time_s"] = wallSeconds;
    manifest["packet_hops_per_s"] = static_cast<double>(result.packetHops) / wallSeconds;
    manifest["peak_resident_bytes"] = PeakResidentBytes();
    manifest["tables_crc32"] = tablesCrc32;
    ina::files::write(folder / "manifest.json", manifest.dump(2) + '\n');
}

} // namespace ns3
