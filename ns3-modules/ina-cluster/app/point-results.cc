/* SPDX-License-Identifier: GPL-2.0-only */
#include "point-results.h"

#include "build-info.h"
#include "csv-row.h"
#include "finished-runs.h"

#include "hw/files/whole_file.hpp"

#include "scenarios/reader/link_names.hpp"
#include "scenarios/reader/result_columns.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

using ina::programs::AggregatorEvent;

constexpr uint64_t BYTES_PER_KIB = 1024;

/// The column names of a table, or the cells that name the point in every row.
struct Lead
{
    CsvRow header;
    CsvRow cells;
};

Lead
LeadOf(const ExperimentPoint& point)
{
    Lead lead;
    lead.header.Text("point");
    lead.cells.Number(point.index);
    for (const auto& [pointer, value] : point.labels)
    {
        if (!has_own_column(pointer))
        {
            lead.header.Text(pointer);
            lead.cells.Text(value);
        }
        for (const SweptNumber& number : point.numbers)
        {
            if (number.pointer == pointer)
            {
                lead.header.Text(number.column);
                lead.cells.Text(number.value.dump());
            }
        }
    }
    if (const std::string variant = point.variant(); !variant.empty())
    {
        lead.header.Text("variant");
        lead.cells.Text(variant);
    }
    lead.header.Text("system").Text("seed");
    lead.cells.Text(ina::wire::name_of(point.combination->system)).Number(point.seed);
    return lead;
}

void
AddRow(StreamedFile& table, const CsvRow& row)
{
    table.Write(row.Line() + '\n');
}

void
AddHeader(StreamedFile& table, CsvRow header, std::span<const char* const> columns)
{
    for (const char* column : columns)
    {
        header.Text(column);
    }
    AddRow(table, header);
}

CsvRow
JobRow(CsvRow row, std::size_t index, const JobResult& job, const IterationTimes& times)
{
    row.Number(index)
        .Text(job.profile)
        .Number(job.workers)
        .Number(job.values)
        .Number(job.iterationsEnded);
    job.start ? row.Microseconds(*job.start) : row.Nothing();
    job.status == JobStatus::finished ? row.Microseconds(job.end - *job.start) : row.Nothing();
    if (times.count == 0) // the job failed in its first iteration
    {
        row.Nothing().Nothing().Nothing();
    }
    else
    {
        row.Microseconds(times.sum / times.count)
            .Microseconds(times.least)
            .Microseconds(times.most);
    }
    row.Microseconds(job.end);
    row.Number(job.packetsSent)
        .Number(job.packetsReceived)
        .Number(job.fallbacks)
        .Number(job.preemptions)
        .Number(job.retransmissions)
        .Number(job.tasks[0])
        .Number(job.tasks[1])
        .Number(job.tasks[2])
        .Number(job.losses[0])
        .Number(job.losses[1])
        .Number(job.losses[2])
        .Number(job.rejectedFrames)
        .Number(job.registrations)
        .Text(name_of(job.status));
    return row;
}

/// IterationRow() writes the parts in their order, under these.
constexpr bool
PartsAreTheLastColumns()
{
    constexpr std::string_view UNIT = "_us";
    auto column = kIterationColumns.end() - ina::cluster::kJctParts.size();
    for (const ina::cluster::JctPart& part : ina::cluster::kJctParts)
    {
        const std::string_view name = *column++;
        if (!name.starts_with(part.name) || name.substr(part.name.size()) != UNIT)
        {
            return false;
        }
    }
    return true;
}

static_assert(PartsAreTheLastColumns());

CsvRow
IterationRow(CsvRow row, std::size_t job, uint32_t index, const IterationResult& iteration)
{
    row.Number(job).Number(index);
    row.Microseconds(iteration.start)
        .Microseconds(iteration.end - iteration.start)
        .Microseconds(iteration.workerSum / int64_t{iteration.workersDone});
    for (const ina::cluster::JctPart& part : ina::cluster::kJctParts)
    {
        row.Microseconds(iteration.breakdown.*part.of);
    }
    return row;
}

CsvRow
SwitchRow(CsvRow row, const TopologyScenario& topology, const SwitchSample& sample)
{
    row.Microseconds(sample.ts)
        .Text(switch_name(topology, sample.rack))
        .Number(sample.job)
        .Number(sample.counters.occupied());
    for (const AggregatorEvent event : {AggregatorEvent::allocated,
                                        AggregatorEvent::collided,
                                        AggregatorEvent::preempted,
                                        AggregatorEvent::evicted,
                                        AggregatorEvent::completed,
                                        AggregatorEvent::fallback})
    {
        row.Number(sample.counters[event]);
    }
    return row;
}

CsvRow
LinkRow(CsvRow row, const LinkResult& link)
{
    row.Text(link.name)
        .Number(link.sender.framesSent)
        .Number(link.sender.bytesSent)
        .Number(link.receiver.framesReceived)
        .Number(link.receiver.bytesReceived)
        .Number(link.sender.framesDropped)
        .Number(link.sender.framesMarked)
        .Number(link.sender.framesLost)
        .Number(link.sender.framesCorrupted)
        .Number(link.sender.framesDuplicated)
        .Number(link.sender.framesDelayed);
    return row;
}

uint64_t
PeakResidentBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * BYTES_PER_KIB;
}

Json
PointManifest(const ExperimentPoint& point, const RunResult& result, double wallSeconds)
{
    Json manifest;
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
    manifest["wall_time_s"] = wallSeconds;
    manifest["packet_hops_per_s"] = static_cast<double>(result.packetHops) / wallSeconds;
    manifest["peak_resident_bytes"] = PeakResidentBytes();
    return manifest;
}

} // namespace

RunTables::RunTables(const std::filesystem::path& folder, const ExperimentPoint& point) :
    m_folder(folder),
    m_point(point),
    m_switchTable(folder / "switch.csv"),
    m_times(point.combination->jobs.size())
{
    const Lead lead = LeadOf(point);
    m_lead = lead.cells;
    AddHeader(m_switchTable, lead.header, kSwitchColumns);
    m_iterations.resize(m_times.size());
}

void
RunTables::Add(const SwitchSample& sample)
{
    AddRow(m_switchTable, SwitchRow(m_lead, m_point.combination->topology, sample));
}

void
RunTables::Add(std::size_t job, uint32_t index, const IterationResult& iteration)
{
    const int64_t time = iteration.end - iteration.start;
    IterationTimes& times = m_times[job];
    times.least = times.count == 0 ? time : std::min(times.least, time);
    times.most = std::max(times.most, time);
    times.sum += time;
    ++times.count;
    if (!m_iterations[job])
    {
        m_iterations[job] = std::make_unique<StreamedFile>(IterationsOf(job));
    }
    AddRow(*m_iterations[job], IterationRow(m_lead, job, index, iteration));
}

std::filesystem::path
RunTables::IterationsOf(std::size_t job) const
{
    return m_folder / fmt::format("iterations.csv.job{}", job);
}

/// One job after the other, as they did not come.
std::string
RunTables::MergeIterations()
{
    StreamedFile table(m_folder / "iterations.csv");
    AddHeader(table, LeadOf(m_point).header, kIterationColumns);
    for (std::size_t job = 0; job < m_iterations.size(); ++job)
    {
        if (m_iterations[job])
        {
            m_iterations[job]->Finish();
            table.Append(IterationsOf(job), 0);
            std::filesystem::remove(IterationsOf(job));
        }
    }
    return table.Finish();
}

void
RunTables::Finish(const RunResult& result, double wallSeconds)
{
    Json checksums;
    const CsvRow header = LeadOf(m_point).header;
    StreamedFile jobs(m_folder / "jobs.csv");
    AddHeader(jobs, header, kJobColumns);
    for (std::size_t job = 0; job < result.jobs.size(); ++job)
    {
        AddRow(jobs, JobRow(m_lead, job, result.jobs[job], m_times[job]));
    }
    StreamedFile links(m_folder / "links.csv");
    AddHeader(links, header, kLinkColumns);
    for (const LinkResult& link : result.links)
    {
        AddRow(links, LinkRow(m_lead, link));
    }
    checksums["jobs.csv"] = jobs.Finish();
    checksums["iterations.csv"] = MergeIterations();
    checksums["switch.csv"] = m_switchTable.Finish();
    checksums["links.csv"] = links.Finish();
    Json manifest = PointManifest(m_point, result, wallSeconds);
    manifest["tables_crc32"] = checksums;
    ina::files::write(m_folder / "manifest.json", manifest.dump(2) + '\n');
}

} // namespace ns3
