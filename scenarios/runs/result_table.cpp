// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "hw/fields/input_error.hpp"
#include "scenarios/runs/run_summary.hpp"

namespace ina::runs {

using namespace scenarios;

namespace {

// Two divisions in sequence round like the analysis, which reads times in microseconds from tables.
constexpr double kPsPerUs = 1e6;
constexpr double kUsPerMs = 1000;
constexpr int kPicoseconds = 9;  ///< decimals of ms, the resolution of all tables

/// Sums over the runs that differ only in their seeds. Times are those of finished jobs.
struct Sums {
  std::vector<double> jcts_ms;        ///< of all runs
  std::vector<double> jct_of_run_ms;  ///< mean of each run with a finished job
  std::vector<double> iteration_of_run_ms;
  std::uint64_t most_iterations{0};
  std::uint64_t failed{0};
  std::uint64_t runs{0};
  std::array<std::uint64_t, kSummedCounters.size()> counters{};
};

constexpr std::pair<const char*, double> kPercentiles[] = {
    {"jct_p50_ms", 50}, {"jct_p95_ms", 95}, {"jct_p99_ms", 99}};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Adds the means of a run. As in the analysis, all seeds weigh the same, independent of the number
/// of finished jobs.
void add_means(const std::vector<double>& jcts_ms, const std::vector<double>& iterations_ms,
               Sums& sums) {
  if (jcts_ms.empty()) return;
  sums.jcts_ms.insert(sums.jcts_ms.end(), jcts_ms.begin(), jcts_ms.end());
  sums.jct_of_run_ms.push_back(mean_of(jcts_ms));
  sums.iteration_of_run_ms.push_back(mean_of(iterations_ms));
}

std::vector<double> in_ms(const std::vector<std::int64_t>& times_ps) {
  std::vector<double> times_ms;
  times_ms.reserve(times_ps.size());
  for (const std::int64_t ps : times_ps) {
    times_ms.push_back(static_cast<double>(ps) / kPsPerUs / kUsPerMs);
  }
  return times_ms;
}

void add(const RunSummary& run, Sums& sums) {
  ++sums.runs;
  sums.failed += run.failed_jobs;
  sums.most_iterations = std::max(sums.most_iterations, run.most_iterations);
  for (std::size_t i = 0; i < kSummedCounters.size(); ++i) {
    sums.counters[i] += run.*kSummedCounters[i].of_run;
  }
  add_means(in_ms(run.jcts_ps), in_ms(run.iteration_means_ps), sums);
}

/// By point index.
using SumsOfPoints = std::map<std::size_t, Sums>;

bool is_on(const Baseline& line, const ExperimentPoint& point) {
  if (line.pointer == kVariants) return point.variant() == line.name;
  return cluster::name_of(point.combination->system) == line.name;
}

/// Labels that a point shares with its point of the baseline.
std::string group_of(const ExperimentPoint& point, const Baseline& baseline) {
  std::string group;
  for (const auto& [pointer, value] : point.labels) {
    if (pointer != baseline.pointer) group.append(pointer).append("=").append(value).append("\n");
  }
  return group;
}

/// Null if no job finished in any run.
Json mean_of_runs(const std::vector<double>& means) {
  return means.empty() ? Json() : Json(mean_of(means));
}

/// Interpolates linearly between the two nearest JCTs, like numpy; null if no job finished.
Json percentile(std::vector<double> jcts, double percent) {
  if (jcts.empty()) return {};
  std::sort(jcts.begin(), jcts.end());
  const double rank = percent / 100 * static_cast<double>(jcts.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, jcts.size() - 1);
  return std::lerp(jcts[below], jcts[above], rank - std::floor(rank));
}

/// Mean JCTs of the baseline, by group.
std::map<std::string, Json> baseline_jcts(const Experiment& experiment, const SumsOfPoints& sums) {
  std::map<std::string, Json> jcts;
  if (!experiment.baseline) return jcts;
  for (const ExperimentPoint& point : experiment.points) {
    if (is_on(*experiment.baseline, point)) {
      jcts[group_of(point, *experiment.baseline)] =
          mean_of_runs(sums.at(point.index).jct_of_run_ms);
    }
  }
  return jcts;
}

/// Null if a time is null or the base is 0.
Json ratio_of(const Json& time, const Json& base) {
  if (time.is_null() || base.is_null() || base == 0) return {};
  return time.get<double>() / base.get<double>();
}

Json summary_row(const ExperimentPoint& point, const Sums& sums) {
  Json row;
  row["labels"] = Json::object();
  for (const auto& [pointer, value] : point.labels) {
    if (!has_own_column(pointer)) row["labels"][pointer] = value;
  }
  if (!point.variant().empty()) row["variant"] = point.variant();
  row["system"] = cluster::name_of(point.combination->system);
  row["jct_ms"] = mean_of_runs(sums.jct_of_run_ms);
  for (const auto& [column, percent] : kPercentiles) {
    row[column] = percentile(sums.jcts_ms, percent);
  }
  row["iteration_ms"] = mean_of_runs(sums.iteration_of_run_ms);
  for (std::size_t i = 0; i < kSummedCounters.size(); ++i) {
    row[kSummedCounters[i].name] =
        static_cast<double>(sums.counters[i]) / static_cast<double>(sums.runs);
  }
  row["failed_jobs"] = static_cast<double>(sums.failed) / static_cast<double>(sums.runs);
  return row;
}

/// A number, or a dash if there is none.
std::string format_or_dash(const Json& number, int decimals) {
  return number.is_null() ? "-" : fmt::format("{:.{}f}", number.get<double>(), decimals);
}

/// A column of the printed table: its title and its text for a row.
struct Column {
  std::string title;
  std::function<std::string(const Json&)> cell;
};

/// Decimals of a column of times in ms: three, or enough for four digits of the shortest time.
int decimals_of_times(const Json& rows, const char* key) {
  int decimals = 3;
  for (const Json& row : rows) {
    if (const Json& time = row.at(key); !time.is_null() && time > 0) {
      const auto magnitude = static_cast<int>(std::floor(std::log10(time.get<double>())));
      decimals = std::max(decimals, std::min(3 - magnitude, kPicoseconds));
    }
  }
  return decimals;
}

Column time_column(const Json& rows, const char* title, const char* key) {
  return {title, [key, decimals = decimals_of_times(rows, key)](const Json& row) {
            return format_or_dash(row.at(key), decimals);
          }};
}

/// Counts are integers, unless one is a fractional mean over seeds.
Column count_column(const Json& rows, const char* title, const char* key) {
  const bool are_whole = std::ranges::all_of(rows, [key](const Json& row) {
    const auto count = row.at(key).get<double>();
    return count == std::floor(count);
  });
  return {title, [key, decimals = are_whole ? 0 : 1](const Json& row) {
            return format_or_dash(row.at(key), decimals);
          }};
}

std::vector<Column> columns_of(const Summary& summary) {
  std::vector<Column> columns;
  for (const auto& [pointer, value] : summary.rows.at(0).at("labels").items()) {
    columns.push_back({pointer, [pointer = pointer](const Json& row) {
                         return on_one_line(row.at("labels").at(pointer).get<std::string>());
                       }});
  }
  if (summary.rows.at(0).contains("variant")) {
    columns.push_back({"variant", [](const Json& row) { return row.at("variant"); }});
  }
  columns.push_back({"system", [](const Json& row) { return row.at("system"); }});
  columns.push_back(time_column(summary.rows, "JCT ms", "jct_ms"));
  if (summary.several_jobs) {
    columns.push_back(time_column(summary.rows, "p50 ms", "jct_p50_ms"));
    columns.push_back(time_column(summary.rows, "p95 ms", "jct_p95_ms"));
    columns.push_back(time_column(summary.rows, "p99 ms", "jct_p99_ms"));
  }
  if (summary.several_iterations) {
    columns.push_back(time_column(summary.rows, "iteration ms", "iteration_ms"));
  }
  columns.push_back(
      {"to " + (summary.baseline.empty() ? "-" : summary.baseline),
       [](const Json& row) { return format_or_dash(row.at("ratio_to_baseline"), 2); }});
  columns.push_back(count_column(summary.rows, "packets", "packets_sent"));
  columns.push_back(count_column(summary.rows, "fallbacks", "fallbacks"));
  columns.push_back(count_column(summary.rows, "preemptions", "preemptions"));
  columns.push_back(count_column(summary.rows, "resent", "retransmissions"));
  if (std::ranges::any_of(summary.rows,
                          [](const Json& row) { return row.at("failed_jobs") != 0; })) {
    columns.push_back(count_column(summary.rows, "failed jobs", "failed_jobs"));
  }
  return columns;
}

std::string aligned(const std::vector<std::vector<std::string>>& table) {
  std::string text;
  for (const auto& row : table) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      std::size_t width = 0;
      for (const auto& other : table) width = std::max(width, other[column].size());
      text += fmt::format("{:>{}}{}", row[column], width, column + 1 == row.size() ? "\n" : "  ");
    }
  }
  return text;
}

}  // namespace

Summary summarise_experiment(const Experiment& experiment, const Json& manifests) {
  SumsOfPoints sums;
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    add(summary_in(manifests.at(i)), sums[experiment.points[i].index]);
  }
  const auto& baseline = experiment.baseline;
  std::map<std::string, Json> bases = baseline_jcts(experiment, sums);
  Summary summary{Json::array(), false, false, baseline ? baseline->name : ""};
  for (const ExperimentPoint& point : experiment.points) {
    const auto found = sums.find(point.index);
    if (found == sums.end()) {
      continue;  // another seed of this point was summarised before
    }
    Json row = summary_row(point, found->second);
    const Json base = baseline ? bases[group_of(point, *baseline)] : Json();
    row["ratio_to_baseline"] = ratio_of(row["jct_ms"], base);
    summary.rows.push_back(row);
    summary.several_jobs |= found->second.jcts_ms.size() > 1;
    summary.several_iterations |= found->second.most_iterations > 1;
    sums.erase(found);
  }
  return summary;
}

std::string format_summary(const Summary& summary) {
  const std::vector<Column> columns = columns_of(summary);
  std::vector<std::vector<std::string>> table(1);
  for (const Column& column : columns) table[0].push_back(column.title);
  for (const Json& row : summary.rows) {
    auto& cells = table.emplace_back();
    for (const Column& column : columns) cells.push_back(column.cell(row));
  }
  return aligned(table);
}

}  // namespace ina::runs
