/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment-results.h"

#include "build-info.h"
#include "grouped-findings.h"
#include "result-folder.h"

#include "hw/files/whole_file.hpp"
#include "scenarios/results/rows.hpp"
#include "scenarios/results/streamed_file.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

/// Whether `into` now is another name of the file; not every file system can do that.
bool
Link(const std::filesystem::path& into, const std::filesystem::path& file)
{
    std::error_code error;
    std::filesystem::remove(into, error);
    std::filesystem::create_hard_link(file, into, error);
    return !error;
}

/// Puts tables below one header; returns the checksum. The table of a single run needs no copy.
std::string
Merge(const std::filesystem::path& into, const std::vector<std::filesystem::path>& tables)
{
    if (tables.size() == 1 && Link(into, tables.front()))
    {
        return ina::results::crc32_of_file(into);
    }
    ina::results::StreamedFile merged(into);
    for (const std::filesystem::path& table : tables)
    {
        merged.append(table, &table == &tables.front() ? 0 : 1);
    }
    return merged.finish();
}

/// The tables of the runs that have such a one, by their manifests.
std::vector<std::filesystem::path>
TablesOfRuns(const std::vector<std::filesystem::path>& runs,
             const Json& manifests,
             const char* table)
{
    std::vector<std::filesystem::path> paths;
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        if (manifests.at(i).at("tables_crc32").contains(table))
        {
            paths.push_back(runs[i] / table);
        }
    }
    return paths;
}

} // namespace

Json
DescriptionOf(const Experiment& experiment)
{
    Json description;
    description["format_version"] = FORMAT_VERSION;
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
    description["given"] = Json::parse(experiment.given);
    return description;
}

Json
WriteResultsOfRuns(const std::filesystem::path& folder,
                   const Json& description,
                   const std::vector<std::filesystem::path>& runs)
{
    Json manifest = description;
    Json& manifests = manifest["points"] = Json::array();
    for (const std::filesystem::path& run : runs)
    {
        manifests.push_back(Json::parse(ina::files::read(run / "manifest.json")));
    }
    for (const char* table : ina::results::kTables)
    {
        const auto tables = TablesOfRuns(runs, manifest.at("points"), table);
        if (!tables.empty())
        {
            manifest["tables_crc32"][table] = Merge(folder / table, tables);
        }
    }
    manifest["findings"] = GroupFindings(manifest.at("points"));
    ina::files::write(folder / "manifest.json", manifest.dump(2) + '\n');
    return manifest.at("findings");
}

Json
WriteExperimentResults(const std::filesystem::path& folder, const Experiment& experiment)
{
    std::vector<std::filesystem::path> runs;
    for (const ExperimentPoint& point : experiment.points)
    {
        runs.push_back(RunFolder(folder, point));
    }
    return WriteResultsOfRuns(folder, DescriptionOf(experiment), runs);
}

} // namespace ns3
