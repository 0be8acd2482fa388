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
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

constexpr double US_PER_MS = 1000;

/// Over the points that differ in the seed only.
struct Sums
{
    double jctUs{0};
    uint64_t jobs{0};
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
        sums.jctUs += std::stod(cell("jct_mean_us"));
        ++sums.jobs;
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
    row["jct_ms"] = sums.jctUs / static_cast<double>(sums.jobs) / US_PER_MS;
    for (const char* counter : COUNTERS)
    {
        row[counter] =
            static_cast<double>(sums.counters.at(counter)) / static_cast<double>(sums.runs);
    }
    return row;
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
    std::map<std::string, double> dsa;
    for (const ExperimentPoint& point : experiment.points)
    {
        if (point.combination->system == System::dsa)
        {
            const Sums& of = sums.at(PlaceOf(point, true));
            dsa[PlaceOf(point, false)] = of.jctUs / static_cast<double>(of.jobs) / US_PER_MS;
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
        const auto base = dsa.find(PlaceOf(point, false));
        row["ratio_to_dsa"] =
            base == dsa.end() ? Json() : Json(row["jct_ms"].get<double>() / base->second);
        rows.push_back(row);
        sums.erase(found);
    }
    return rows;
}

std::string
FormatSummary(const Json& summary)
{
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
    for (const Json& row : summary)
    {
        std::vector<std::string> cells;
        for (const auto& [pointer, value] : row.at("labels").items())
        {
            cells.push_back(value.get<std::string>());
        }
        cells.push_back(row.at("system").get<std::string>());
        cells.push_back(fmt::format("{:.3f}", row.at("jct_ms").get<double>()));
        cells.push_back(row.at("ratio_to_dsa").is_null()
                            ? "-"
                            : fmt::format("{:.2f}", row.at("ratio_to_dsa").get<double>()));
        for (const char* counter : COUNTERS)
        {
            const auto mean = row.at(counter).get<double>();
            cells.push_back(fmt::format("{:.{}f}", mean, mean == std::floor(mean) ? 0 : 1));
        }
        table.push_back(cells);
    }
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

} // namespace ns3
