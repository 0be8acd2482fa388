/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment-results.h"

#include "build-info.h"
#include "point-results.h"
#include "result-folder.h"

#include "hw/files/whole_file.hpp"
#include "scenarios/results/streamed_file.hpp"

#include <algorithm>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

/// The tables of the runs that have such a one.
std::vector<std::filesystem::path>
TablesOfRuns(const std::filesystem::path& folder, const Experiment& experiment, const char* table)
{
    std::vector<std::filesystem::path> paths;
    for (const ExperimentPoint& point : experiment.points)
    {
        const auto tables = ina::results::tables_of(*point.combination);
        if (std::ranges::find(tables, table) != tables.end())
        {
            paths.push_back(RunFolder(folder, point) / table);
        }
    }
    return paths;
}

/// Puts tables below one header; returns the checksum.
std::string
Merge(const std::filesystem::path& into, const std::vector<std::filesystem::path>& tables)
{
    ina::results::StreamedFile merged(into);
    for (const std::filesystem::path& table : tables)
    {
        merged.append(table, &table == &tables.front() ? 0 : 1);
    }
    return merged.finish();
}

Json
ExperimentManifest(const std::filesystem::path& folder, const Experiment& experiment)
{
    Json manifest = DescriptionOf(experiment);
    manifest["points"] = Json::array();
    for (const ExperimentPoint& point : experiment.points)
    {
        manifest["points"].push_back(
            Json::parse(ina::files::read(RunFolder(folder, point) / "manifest.json")));
    }
    return manifest;
}

} // namespace

Json
DescriptionOf(const Experiment& experiment)
{
    Json description;
    description["name"] = experiment.name;
    description["description"] = experiment.description;
    description["build"] = BuildInfo();
    description["axes"] = Json::array();
    for (const SweepAxis& axis : experiment.axes)
    {
        Json& listed = description["axes"].emplace_back();
        listed = {{"key", axis.pointer}, {"values", axis.values}};
        if (std::ranges::any_of(axis.values, [](const Json& value) { return value.is_object(); }))
        {
            listed["labels"] = axis.labels;
        }
        if (!axis.numbers.empty())
        {
            listed["numbers"] = {{"column", axis.column}, {"values", axis.numbers}};
        }
    }
    description["seeds"] = experiment.seeds;
    return description;
}

void
WriteExperimentResults(const std::filesystem::path& folder, const Experiment& experiment)
{
    Json manifest = ExperimentManifest(folder, experiment);
    for (const char* table : ina::results::kTables)
    {
        const auto tables = TablesOfRuns(folder, experiment, table);
        if (!tables.empty())
        {
            manifest["tables_crc32"][table] = Merge(folder / table, tables);
        }
    }
    ina::files::write(folder / "manifest.json", manifest.dump(2) + '\n');
}

} // namespace ns3
