/* SPDX-License-Identifier: GPL-2.0-only */
#include "point-results.h"

#include "build-info.h"
#include "finished-runs.h"
#include "grouped-findings.h"
#include "machine-memory.h"
#include "result-folder.h"

#include "hw/files/whole_file.hpp"

#include "scenarios/resolve/link_names.hpp"

#include <utility>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

using ina::programs::AggregatorEvent;

ina::results::JobRow
RowOf(std::size_t index, const InaJobResult& job)
{
    ina::results::JobRow row;
    row.job = index;
    row.profile = job.profile;
    row.workers = job.workers;
    row.values = job.values;
    row.start = job.start;
    row.end = job.end;
    row.packets_sent = job.packetsSent;
    row.packets_received = job.packetsReceived;
    row.fallbacks = job.fallbacks;
    row.preemptions = job.preemptions;
    row.retransmissions = job.retransmissions;
    row.tasks = job.tasks;
    row.losses = job.losses;
    row.rejected_frames = job.rejectedFrames;
    row.registrations = job.registrations;
    row.status = job.status;
    return row;
}

ina::results::SwitchRow
RowOf(const InaSwitchSample& sample)
{
    return {.time = sample.ts,
            .name = sample.name,
            .job = sample.job,
            .occupied = sample.counters.occupied(),
            .allocated = sample.counters[AggregatorEvent::allocated],
            .collided = sample.counters[AggregatorEvent::collided],
            .preempted = sample.counters[AggregatorEvent::preempted],
            .evicted = sample.counters[AggregatorEvent::evicted],
            .completed = sample.counters[AggregatorEvent::completed],
            .fallbacks = sample.counters[AggregatorEvent::fallback],
            .added = sample.counters[AggregatorEvent::added]};
}

ina::results::LinkRow
RowOf(const InaLinkResult& link)
{
    return {.link = link.name,
            .frames_sent = link.sender.framesSent,
            .bytes_sent = link.sender.bytesSent,
            .frames_received = link.receiver.framesReceived,
            .bytes_received = link.receiver.bytesReceived,
            .dropped = link.sender.framesDropped,
            .marked = link.sender.framesMarked,
            .lost = link.sender.framesLost,
            .corrupted = link.sender.framesCorrupted,
            .duplicated = link.sender.framesDuplicated,
            .delayed = link.sender.framesDelayed,
            .busy = link.busySteps,
            .last_sent = link.lastSentTs == 0 ? std::nullopt : std::optional(link.lastSentTs)};
}

ina::results::LinkSeriesRow
RowOf(const InaLinkSample& sample)
{
    return {.time = sample.interval.endTs,
            .link = sample.name,
            .bytes_sent = sample.interval.bytesSent,
            .busy = sample.interval.busySteps,
            .longest_queue = sample.interval.longestQueueBytes,
            .queue = sample.interval.queueBytes,
            .marked = sample.interval.framesMarked,
            .dropped = sample.interval.framesDropped};
}

ina::results::FlowRow
RowOf(const InaFlow& flow)
{
    ina::results::FlowRow row;
    row.flow = flow.result.flow.number;
    row.kind = flow.kind;
    row.from = flow.from;
    row.to = flow.to;
    row.start = flow.result.flow.start.count();
    row.bytes_received = flow.result.bytesReceived;
    if (flow.result.flow.bytes != 0)
    {
        row.bytes = flow.result.flow.bytes;
    }
    if (flow.result.bytesReceived != 0)
    {
        row.last_received = flow.result.lastTs;
    }
    if (flow.result.completedTs)
    {
        row.completion = *flow.result.completedTs - row.start;
    }
    return row;
}

ina::results::PacketRow
RowOf(const InaPacketLinkResult& link)
{
    return {.link = link.name,
            .packets_sent = link.sender.sent,
            .bytes_sent = link.sender.bytesSent,
            .packets_received = link.receiver.received,
            .bytes_received = link.receiver.bytesReceived,
            .dropped = link.sender.dropped,
            .marked = link.sender.marked,
            .lost = link.sender.lost,
            .duplicated = link.sender.duplicated};
}

/// Of each, its row.
template <class Result>
auto
RowsOfEach(const std::vector<Result>& results)
{
    std::vector<decltype(RowOf(results.front()))> rows;
    for (const Result& result : results)
    {
        rows.push_back(RowOf(result));
    }
    return rows;
}

std::vector<ina::results::OccupationRow>
RowsOf(const std::vector<InaOccupation>& occupations)
{
    std::vector<ina::results::OccupationRow> rows;
    for (const InaOccupation& occupation : occupations)
    {
        for (const auto& bin : occupation.times.bins())
        {
            rows.push_back({.name = occupation.name,
                            .job = occupation.job,
                            .from = bin.from.count(),
                            .until = bin.until.count(),
                            .occupations = bin.count,
                            .mean = bin.mean.count()});
        }
    }
    return rows;
}

Json
PointManifest(const ExperimentPoint& point, const InaRunResult& result, double wallSeconds)
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
    return manifest;
}

} // namespace

RunTables::RunTables(const std::filesystem::path& folder, const ExperimentPoint& point) :
    m_folder(folder),
    m_point(point),
    m_tables(folder,
             ina::results::cells_of(point),
             point.combination->jobs.size(),
             *point.combination)
{
}

void
RunTables::Add(const InaSwitchSample& sample)
{
    m_tables.add(RowOf(sample));
}

void
RunTables::Add(const InaLinkSample& sample)
{
    m_tables.add(RowOf(sample));
}

void
RunTables::Add(std::size_t job, uint32_t index, const ina::cluster::JobIteration& iteration)
{
    m_tables.add(ina::results::IterationRow::of(job, index, iteration));
}

void
RunTables::Finish(const InaRunResult& result, double wallSeconds)
{
    std::vector<ina::results::JobRow> jobs;
    for (const InaJobResult& job : result.jobs)
    {
        jobs.push_back(RowOf(jobs.size(), job));
    }
    Json manifest = PointManifest(m_point, result, wallSeconds);
    manifest["tables_crc32"] = m_tables.finish(std::move(jobs),
                                               {.links = RowsOfEach(result.links),
                                                .occupations = RowsOf(result.occupations),
                                                .flows = RowsOfEach(result.flows),
                                                .packets = RowsOfEach(result.packets)});
    ina::files::write(m_folder / "manifest.json", manifest.dump(2) + '\n');
}

} // namespace ns3
