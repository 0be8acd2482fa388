/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-table.h"

#include "point-results.h"
#include "result-folder.h"
#include "safe-file.h"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

constexpr double US_PER_MS = 1000;

/// Over the points that differ in the seed only. The JCT is that of jobs that finished.
struct Sums
{
    double jctUs{0};
    uint64_t jobs{0}; ///< that finished
    uint64_t failed{0};
    uint64_t runs{0};
    std::map<std::string, uint64_t> counters;
};

const char* const COUNTERS[] = {"packets_sent", "fallbacks", "preemptions", "retransmissions"};

/// Adds the rows of a run's jobs.csv. Only its last columns are read, which hold no quoted text.
void
AddJobs(const std::string& content, Sums& sums)
{
    ++sums.runs;
    std::istringstream lines(content);
    std::string line;
    std::getline(lines, line);
    std::vector<std::string> header;
    boost::split(header, line, boost::is_any_of(","));
    while (std::getline(lines, line))
    {
        std::vector<std::string> cells;
        boost::split(cells, line, boost::is_any_of(","));
        const auto cell = [&](const char* column)
        {
            const auto fromEnd = header.end() - std::find(header.begin(), header.end(), column);
            return *(cells.end() - fromEnd);
        };
        if (cell("status") == NameOf(JobStatus::finished))
        {
            sums.jctUs += std::stod(cell("jct_mean_us"));
            ++sums.jobs;
        }
        else
        {
            ++sums.failed;
        }
        for (const char* counter : COUNTERS)
        {
            sums.counters[counter] += std::stoull(cell(counter));
        }
    }
}

/// What a point has in common with those of other seeds; `withSystem` false: and of other systems.
std::string
PlaceOf(const ExperimentPoint& point, bool withSystem)
{
    std::string place;
    for (const auto& [pointer, value] : point.labels)
    {
        if (pointer != "/system")
        {
            place.append(pointer).append("=").append(value).append("\n");
        }
    }
    return withSystem ? place + SystemName(point.combination->system) : place;
}

/// In ms; nothing if no job finished.
std::optional<double>
MeanJct(const Sums& sums)
{
    if (sums.jobs == 0)
    {
        return std::nullopt;
    }
    return sums.jctUs / static_cast<double>(sums.jobs) / US_PER_MS;
}

Json
OrNull(const std::optional<double>& number)
{
    return number ? Json(*number) : Json();
}

Json
SummaryRow(const ExperimentPoint& point, const Sums& sums)
{
    Json row;
    row["labels"] = Json::object();
    for (const auto& [pointer, value] : point.labels)
    {
        if (pointer != "/system")
        {
            row["labels"][pointer] = value;
        }
    }
    row["system"] = SystemName(point.combination->system);
    row["jct_ms"] = OrNull(MeanJct(sums));
    for (const char* counter : COUNTERS)
    {
        row[counter] =
            static_cast<double>(sums.counters.at(counter)) / static_cast<double>(sums.runs);
    }
    row["failed_jobs"] = static_cast<double>(sums.failed) / static_cast<double>(sums.runs);
    return row;
}

std::string
FormatMean(const Json& mean)
{
    const auto number = mean.get<double>();
    return fmt::format("{:.{}f}", number, number == std::floor(number) ? 0 : 1);
}

/// A number, or a dash if there is none.
std::string
FormatOrDash(const Json& number, int decimals)
{
    return number.is_null() ? "-" : fmt::format("{:.{}f}", number.get<double>(), decimals);
}

std::vector<std::string>
Cells(const Json& row)
{
    std::vector<std::string> cells;
    for (const auto& [pointer, value] : row.at("labels").items())
    {
        cells.push_back(value.get<std::string>());
    }
    cells.push_back(row.at("system").get<std::string>());
    cells.push_back(FormatOrDash(row.at("jct_ms"), 3));
    cells.push_back(FormatOrDash(row.at("ratio_to_dsa"), 2));
    for (const char* counter : COUNTERS)
    {
        cells.push_back(FormatMean(row.at(counter)));
    }
    return cells;
}

std::string
Aligned(const std::vector<std::vector<std::string>>& table)
{
    std::string text;
    for (const auto& row : table)
    {
        for (std::size_t column = 0; column < row.size(); ++column)
        {
            std::size_t width = 0;
            for (const auto& other : table)
            {
                width = std::max(width, other[column].size());
            }
            text +=
                fmt::format("{:>{}}{}", row[column], width, column + 1 == row.size() ? "\n" : "  ");
        }
    }
    return text;
}

} // namespace

Json
SummariseExperiment(const std::filesystem::path& folder, const Experiment& experiment)
{
    std::map<std::string, Sums> sums;
    for (const ExperimentPoint& point : experiment.points)
    {
        AddJobs(ReadFile(PointFolder(folder, point.index) / "jobs.csv"),
                sums[PlaceOf(point, true)]);
    }
    std::map<std::string, std::optional<double>> dsa;
    for (const ExperimentPoint& point : experiment.points)
    {
        if (point.combination->system == System::dsa)
        {
            dsa[PlaceOf(point, false)] = MeanJct(sums.at(PlaceOf(point, true)));
        }
    }
    Json rows = Json::array();
    for (const ExperimentPoint& point : experiment.points)
    {
        const auto found = sums.find(PlaceOf(point, true));
        if (found == sums.end())
        {
            continue; // another seed of this place came before
        }
        Json row = SummaryRow(point, found->second);
        const auto jct = MeanJct(found->second);
        const auto base = dsa[PlaceOf(point, false)];
        row["ratio_to_dsa"] = jct && base ? Json(*jct / *base) : Json();
        rows.push_back(row);
        sums.erase(found);
    }
    return rows;
}

std::string
FormatSummary(const Json& summary)
{
    const bool anyFailed = std::any_of(summary.begin(),
                                       summary.end(),
                                       [](const Json& row) { return row.at("failed_jobs") != 0; });
    std::vector<std::vector<std::string>> table(1);
    for (const auto& [pointer, value] : summary.at(0).at("labels").items())
    {
        table[0].push_back(pointer);
    }
    for (const char* title :
         {"system", "JCT ms", "to DSA", "packets", "fallbacks", "preemptions", "resent"})
    {
        table[0].emplace_back(title);
    }
    if (anyFailed)
    {
        table[0].emplace_back("failed jobs");
    }
    for (const Json& row : summary)
    {
        table.push_back(Cells(row));
        if (anyFailed)
        {
            table.back().push_back(FormatMean(row.at("failed_jobs")));
        }
    }
    return Aligned(table);
}

} // namespace ns3
