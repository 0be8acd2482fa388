/* SPDX-License-Identifier: GPL-2.0-only */
#include "point-results.h"

#include "build-info.h"
#include "csv-row.h"
#include "finished-runs.h"

#include "hw/files/whole_file.hpp"

#include "ns3/link-names.h"
#include "ns3/result-columns.h"

#include <sys/resource.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

using ina::programs::AggregatorEvent;

constexpr uint64_t BYTES_PER_KIB = 1024;

/// Grows a table row by row; every row begins with the columns that name the point.
class Table
{
  public:
    Table(const ExperimentPoint& point, std::span<const char* const> columns)
    {
        CsvRow header;
        header.Text("point");
        m_prefix.Number(point.index);
        for (const auto& [pointer, value] : point.labels)
        {
            if (pointer != "/system")
            {
                header.Text(pointer);
                m_prefix.Text(value);
            }
            for (const SweptNumber& number : point.numbers)
            {
                if (number.pointer == pointer)
                {
                    header.Text(number.column);
                    m_prefix.Text(number.value.dump());
                }
            }
        }
        header.Text("system").Text("seed");
        m_prefix.Text(SystemName(point.combination->system)).Number(point.seed);
        for (const char* column : columns)
        {
            header.Text(column);
        }
        m_content = header.Line() + '\n';
    }

    CsvRow
    Row() const
    {
        return m_prefix;
    }

    void
    Add(const CsvRow& row)
    {
        m_content += row.Line() + '\n';
    }

    const std::string&
    Content() const
    {
        return m_content;
    }

  private:
    CsvRow m_prefix;
    std::string m_content;
};

/// Mean, least and most; nothing if the job failed in its first iteration.
void
AddIterationTimes(const std::vector<IterationResult>& iterations, CsvRow& row)
{
    if (iterations.empty())
    {
        row.Nothing().Nothing().Nothing();
        return;
    }
    std::vector<int64_t> times;
    int64_t sum = 0;
    for (const IterationResult& iteration : iterations)
    {
        times.push_back(iteration.end - iteration.start);
        sum += times.back();
    }
    row.Microseconds(sum / static_cast<int64_t>(times.size()))
        .Microseconds(*std::min_element(times.begin(), times.end()))
        .Microseconds(*std::max_element(times.begin(), times.end()));
}

std::string
JobsTable(const ExperimentPoint& point, const RunResult& result)
{
    Table table(point, JOB_COLUMNS);
    for (std::size_t index = 0; index < result.jobs.size(); ++index)
    {
        const JobResult& job = result.jobs[index];
        CsvRow row = table.Row();
        row.Number(index)
            .Text(job.profile)
            .Number(job.workers)
            .Number(job.values)
            .Number(job.iterations.size());
        job.start ? row.Microseconds(*job.start) : row.Nothing();
        job.status == JobStatus::finished ? row.Microseconds(job.end - *job.start) : row.Nothing();
        AddIterationTimes(job.iterations, row);
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
            .Number(job.foreignFrames)
            .Number(job.registrations)
            .Text(NameOf(job.status));
        table.Add(row);
    }
    return table.Content();
}

std::string
IterationsTable(const ExperimentPoint& point, const RunResult& result)
{
    Table table(point, ITERATION_COLUMNS);
    for (std::size_t job = 0; job < result.jobs.size(); ++job)
    {
        const auto& iterations = result.jobs[job].iterations;
        for (std::size_t index = 0; index < iterations.size(); ++index)
        {
            const IterationResult& iteration = iterations[index];
            CsvRow row = table.Row();
            row.Number(job).Number(index);
            row.Microseconds(iteration.start)
                .Microseconds(iteration.end - iteration.start)
                .Microseconds(iteration.workerSum / int64_t{iteration.workersDone})
                .Microseconds(iteration.parts.compute)
                .Microseconds(iteration.parts.serialisation)
                .Microseconds(iteration.parts.queueing)
                .Microseconds(iteration.parts.slotWait)
                .Microseconds(iteration.parts.straggler)
                .Microseconds(iteration.parts.fallback)
                .Microseconds(iteration.parts.recovery);
            table.Add(row);
        }
    }
    return table.Content();
}

std::string
SwitchTable(const ExperimentPoint& point, const RunResult& result)
{
    Table table(point, SWITCH_COLUMNS);
    for (const SwitchSample& sample : result.samples)
    {
        CsvRow row = table.Row();
        row.Microseconds(sample.ts)
            .Text(SwitchName(point.combination->topology, sample.rack))
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
        table.Add(row);
    }
    return table.Content();
}

std::string
LinksTable(const ExperimentPoint& point, const RunResult& result)
{
    Table table(point, LINK_COLUMNS);
    for (const LinkResult& link : result.links)
    {
        CsvRow row = table.Row();
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
        table.Add(row);
    }
    return table.Content();
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
    manifest["switch_foreign_frames"] = result.switchForeignFrames;
    manifest["switch_frames_without_route"] = result.framesWithoutRoute;
    manifest["switch_frames_while_down"] = result.framesWhileDown;
    manifest["swept_late_copies"] = result.sweptLateCopies;
    manifest["wall_time_s"] = wallSeconds;
    manifest["packet_hops_per_s"] = static_cast<double>(result.packetHops) / wallSeconds;
    manifest["peak_resident_bytes"] = PeakResidentBytes();
    return manifest;
}

} // namespace

const char*
SystemName(System system)
{
    switch (system)
    {
    case System::switchml:
        return "switchml";
    case System::switchml_starved:
        return "switchml-starved";
    case System::atp:
        return "atp";
    case System::dsa:
        break;
    }
    return "dsa";
}

void
WriteRunResults(const std::filesystem::path& folder,
                const ExperimentPoint& point,
                const RunResult& result,
                double wallSeconds)
{
    const std::array<std::string, RESULT_TABLES.size()> tables = {JobsTable(point, result),
                                                                  IterationsTable(point, result),
                                                                  SwitchTable(point, result),
                                                                  LinksTable(point, result)};
    Json manifest = PointManifest(point, result, wallSeconds);
    for (std::size_t i = 0; i < tables.size(); ++i)
    {
        ina::files::write(folder / RESULT_TABLES[i], tables[i]);
        manifest["tables_crc32"][RESULT_TABLES[i]] = Crc32(tables[i]);
    }
    ina::files::write(folder / "manifest.json", manifest.dump(2) + '\n');
}

} // namespace ns3
