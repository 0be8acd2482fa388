/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-table.h"

#include "result-folder.h"

#include "hw/files/whole_file.hpp"

#include "hw/fields/input_error.hpp"
#include "scenarios/results/rows.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

constexpr double US_PER_MS = 1000;
constexpr int PICOSECONDS = 9; ///< decimals of ms, the resolution of all tables

/// Over the runs that differ in the seed only. Times are of jobs that finished.
struct Sums
{
    std::vector<double> jctsMs;     ///< of all runs
    std::vector<double> jctOfRunMs; ///< the mean of each run that has such a job
    std::vector<double> iterationOfRunMs;
    uint64_t mostIterations{0};
    uint64_t failed{0};
    uint64_t runs{0};
    std::map<std::string, uint64_t> counters;
};

constexpr std::pair<const char*, double> PERCENTILES[] = {{"jct_p50_ms", 50},
                                                          {"jct_p95_ms", 95},
                                                          {"jct_p99_ms", 99}};

const char* const COUNTERS[] = {"packets_sent", "fallbacks", "preemptions", "retransmissions"};

double
MeanOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Adds a run's means, as the analysis does: a seed in which fewer jobs finished weighs the same.
void
AddMeans(const std::vector<double>& jctsMs, const std::vector<double>& iterationsMs, Sums& sums)
{
    if (jctsMs.empty())
    {
        return;
    }
    sums.jctsMs.insert(sums.jctsMs.end(), jctsMs.begin(), jctsMs.end());
    sums.jctOfRunMs.push_back(MeanOf(jctsMs));
    sums.iterationOfRunMs.push_back(MeanOf(iterationsMs));
}

/// Adds the rows of a run's jobs.csv. Only its last columns are read, which hold no quoted text.
void
AddJobs(const std::string& content, Sums& sums)
{
    ++sums.runs;
    for (const char* counter : COUNTERS)
    {
        sums.counters.try_emplace(counter, 0); // also of a run without jobs
    }
    std::istringstream lines(content);
    std::string line;
    std::getline(lines, line);
    std::vector<std::string> header;
    boost::split(header, line, boost::is_any_of(","));
    std::vector<double> jctsMs;
    std::vector<double> iterationsMs; // each the mean of a job
    while (std::getline(lines, line))
    {
        std::vector<std::string> cells;
        boost::split(cells, line, boost::is_any_of(","));
        const auto cell = [&](const char* column)
        {
            const auto fromEnd = header.end() - std::find(header.begin(), header.end(), column);
            return *(cells.end() - fromEnd);
        };
        if (cell("status") == name_of(ina::cluster::JobStatus::finished))
        {
            jctsMs.push_back(std::stod(cell("jct_us")) / US_PER_MS);
            iterationsMs.push_back(std::stod(cell("iteration_mean_us")) / US_PER_MS);
        }
        else
        {
            ++sums.failed;
        }
        sums.mostIterations =
            std::max<uint64_t>(sums.mostIterations, std::stoull(cell("iterations")));
        for (const char* counter : COUNTERS)
        {
            sums.counters[counter] += std::stoull(cell(counter));
        }
    }
    AddMeans(jctsMs, iterationsMs, sums);
}

/// The variant that the others are compared with.
const char* const REFERENCE_VARIANT = "DSA";

/// Whether a point is compared with those of other systems, and not of other variants.
bool
ComparesSystems(const ExperimentPoint& point)
{
    return point.variant().empty() ||
           std::ranges::any_of(point.labels,
                               [](const auto& label) { return label.first == "/system"; });
}

bool
IsReference(const ExperimentPoint& point)
{
    return point.combination->system == System::dsa &&
           (ComparesSystems(point) || point.variant() == REFERENCE_VARIANT);
}

/// What a point has in common with those that it is compared with, of any seed.
std::string
GroupOf(const ExperimentPoint& point)
{
    std::string group = ComparesSystems(point) ? point.variant() + '\n' : "";
    for (const auto& [pointer, value] : point.labels)
    {
        if (!has_own_column(pointer))
        {
            group.append(pointer).append("=").append(value).append("\n");
        }
    }
    return group;
}

/// What a point has in common with those of other seeds only.
std::string
LineOf(const ExperimentPoint& point)
{
    return GroupOf(point) + point.variant() + '\n' +
           std::string(ina::wire::name_of(point.combination->system));
}

/// Null if no job finished in any run.
Json
MeanOfRuns(const std::vector<double>& means)
{
    return means.empty() ? Json() : Json(MeanOf(means));
}

/// Between the two nearest JCTs in proportion, as numpy does; null if no job finished.
Json
Percentile(std::vector<double> jcts, double percent)
{
    if (jcts.empty())
    {
        return {};
    }
    std::sort(jcts.begin(), jcts.end());
    const double rank = percent / 100 * static_cast<double>(jcts.size() - 1);
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min(below + 1, jcts.size() - 1);
    return std::lerp(jcts[below], jcts[above], rank - std::floor(rank));
}

Json
SummaryRow(const ExperimentPoint& point, const Sums& sums)
{
    Json row;
    row["labels"] = Json::object();
    for (const auto& [pointer, value] : point.labels)
    {
        if (!has_own_column(pointer))
        {
            row["labels"][pointer] = value;
        }
    }
    if (!point.variant().empty())
    {
        row["variant"] = point.variant();
    }
    row["system"] = ina::wire::name_of(point.combination->system);
    row["jct_ms"] = MeanOfRuns(sums.jctOfRunMs);
    for (const auto& [column, percent] : PERCENTILES)
    {
        row[column] = Percentile(sums.jctsMs, percent);
    }
    row["iteration_ms"] = MeanOfRuns(sums.iterationOfRunMs);
    for (const char* counter : COUNTERS)
    {
        row[counter] =
            static_cast<double>(sums.counters.at(counter)) / static_cast<double>(sums.runs);
    }
    row["failed_jobs"] = static_cast<double>(sums.failed) / static_cast<double>(sums.runs);
    return row;
}

/// A number, or a dash if there is none.
std::string
FormatOrDash(const Json& number, int decimals)
{
    return number.is_null() ? "-" : fmt::format("{:.{}f}", number.get<double>(), decimals);
}

/// A column of the printed table: its title, and what it shows of a row.
struct Column
{
    std::string title;
    std::function<std::string(const Json&)> cell;
};

/// Decimals of a column of times in ms: three, or as many as give the shortest four digits.
int
DecimalsOfTimes(const Json& rows, const char* key)
{
    int decimals = 3;
    for (const Json& row : rows)
    {
        if (const Json& time = row.at(key); !time.is_null() && time > 0)
        {
            const auto magnitude = static_cast<int>(std::floor(std::log10(time.get<double>())));
            decimals = std::max(decimals, std::min(3 - magnitude, PICOSECONDS));
        }
    }
    return decimals;
}

Column
TimeColumn(const Json& rows, const char* title, const char* key)
{
    return {title, [key, decimals = DecimalsOfTimes(rows, key)](const Json& row) {
                return FormatOrDash(row.at(key), decimals);
            }};
}

/// Counts are whole, unless one is a mean over seeds that is not.
Column
CountColumn(const Json& rows, const char* title, const char* key)
{
    const bool areWhole = std::ranges::all_of(rows,
                                              [key](const Json& row)
                                              {
                                                  const auto count = row.at(key).get<double>();
                                                  return count == std::floor(count);
                                              });
    return {title, [key, decimals = areWhole ? 0 : 1](const Json& row) {
                return FormatOrDash(row.at(key), decimals);
            }};
}

std::vector<Column>
ColumnsOf(const Summary& summary)
{
    std::vector<Column> columns;
    for (const auto& [pointer, value] : summary.rows.at(0).at("labels").items())
    {
        columns.push_back({pointer, [pointer = pointer](const Json& row) {
                               return on_one_line(row.at("labels").at(pointer).get<std::string>());
                           }});
    }
    if (summary.rows.at(0).contains("variant"))
    {
        columns.push_back({"variant", [](const Json& row) { return row.at("variant"); }});
    }
    columns.push_back({"system", [](const Json& row) { return row.at("system"); }});
    columns.push_back(TimeColumn(summary.rows, "JCT ms", "jct_ms"));
    if (summary.severalJobs)
    {
        columns.push_back(TimeColumn(summary.rows, "p50 ms", "jct_p50_ms"));
        columns.push_back(TimeColumn(summary.rows, "p95 ms", "jct_p95_ms"));
        columns.push_back(TimeColumn(summary.rows, "p99 ms", "jct_p99_ms"));
    }
    if (summary.severalIterations)
    {
        columns.push_back(TimeColumn(summary.rows, "iteration ms", "iteration_ms"));
    }
    columns.push_back(
        {"to DSA", [](const Json& row) { return FormatOrDash(row.at("ratio_to_dsa"), 2); }});
    columns.push_back(CountColumn(summary.rows, "packets", "packets_sent"));
    columns.push_back(CountColumn(summary.rows, "fallbacks", "fallbacks"));
    columns.push_back(CountColumn(summary.rows, "preemptions", "preemptions"));
    columns.push_back(CountColumn(summary.rows, "resent", "retransmissions"));
    if (std::ranges::any_of(summary.rows,
                            [](const Json& row) { return row.at("failed_jobs") != 0; }))
    {
        columns.push_back(CountColumn(summary.rows, "failed jobs", "failed_jobs"));
    }
    return columns;
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

Summary
SummariseExperiment(const std::filesystem::path& folder, const Experiment& experiment)
{
    std::map<std::string, Sums> sums;
    for (const ExperimentPoint& point : experiment.points)
    {
        AddJobs(ina::files::read(RunFolder(folder, point) / ina::results::JobRow::kTable),
                sums[LineOf(point)]);
    }
    std::map<std::string, Json> dsa;
    for (const ExperimentPoint& point : experiment.points)
    {
        if (IsReference(point))
        {
            dsa[GroupOf(point)] = MeanOfRuns(sums.at(LineOf(point)).jctOfRunMs);
        }
    }
    Summary summary{Json::array(), false, false};
    for (const ExperimentPoint& point : experiment.points)
    {
        const auto found = sums.find(LineOf(point));
        if (found == sums.end())
        {
            continue; // another seed of this line came before
        }
        Json row = SummaryRow(point, found->second);
        const Json& base = dsa[GroupOf(point)];
        row["ratio_to_dsa"] = row["jct_ms"].is_null() || base.is_null() || base == 0
                                  ? Json()
                                  : Json(row["jct_ms"].get<double>() / base.get<double>());
        summary.rows.push_back(row);
        summary.severalJobs |= found->second.jctsMs.size() > 1;
        summary.severalIterations |= found->second.mostIterations > 1;
        sums.erase(found);
    }
    return summary;
}

std::string
FormatSummary(const Summary& summary)
{
    const std::vector<Column> columns = ColumnsOf(summary);
    std::vector<std::vector<std::string>> table(1);
    for (const Column& column : columns)
    {
        table[0].push_back(column.title);
    }
    for (const Json& row : summary.rows)
    {
        auto& cells = table.emplace_back();
        for (const Column& column : columns)
        {
            cells.push_back(column.cell(row));
        }
    }
    return Aligned(table);
}

} // namespace ns3
