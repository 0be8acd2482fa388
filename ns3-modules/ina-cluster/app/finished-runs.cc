/* SPDX-License-Identifier: GPL-2.0-only */
#include "finished-runs.h"

#include "build-info.h"
#include "result-folder.h"

#include "hw/files/whole_file.hpp"
#include "scenarios/results/run_tables.hpp"
#include "scenarios/results/streamed_file.hpp"

#include "scenarios/reader/scenario_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

/// Throws std::runtime_error, also if it is no JSON of ours.
Json
ReadManifest(const std::filesystem::path& folder)
{
    const std::filesystem::path path = folder / "manifest.json";
    return parse_strict_json(ina::files::read(path), path.string());
}

/// The part of RunOf() that every build has written, as a manifest has it. Throws if it has not.
Json
RunIn(const Json& manifest)
{
    Json run{{"swept", manifest.at("swept")}, {"scenario", manifest.at("scenario")}};
    if (!run.at("swept").is_object() || !run.at("scenario").is_object())
    {
        throw std::runtime_error("no manifest of a run");
    }
    return run;
}

/// The first difference between what two runs are of, for people; "" without one. Their
/// descriptions may differ.
std::string
DifferenceOf(Json there, Json here)
{
    there.at("scenario").erase("description");
    here.at("scenario").erase("description");
    here.erase("swept_numbers");
    const Json changes = Json::diff(there, here);
    if (changes.empty())
    {
        return "";
    }
    const Json::json_pointer place(changes[0].at("path").get<std::string>());
    const auto text = [&place](const Json& run)
    { return run.contains(place) ? shorten(run.at(place).dump()) : "nothing"; };
    return fmt::format("{} is {} there and {} here", place.to_string(), text(there), text(here));
}

/// A run in a result folder, as its manifest has it.
struct FoundRun
{
    std::filesystem::path folder;
    Json manifest;
    std::size_t index;
    std::uint64_t seed;

    std::string
    Name() const
    {
        return fmt::format("run {} (seed {})", index, seed);
    }
};

/// The runs in a result folder, of any build, but those that are damaged: nobody misses them.
std::vector<FoundRun>
FindRuns(const std::filesystem::path& folder)
{
    std::vector<FoundRun> runs;
    for (const std::filesystem::path& run : RunFoldersIn(folder))
    {
        try
        {
            Json manifest = ReadManifest(run);
            RunIn(manifest);
            const auto index = manifest.at("point").get<std::size_t>();
            const auto seed = manifest.at("seed").get<std::uint64_t>();
            runs.push_back({run, std::move(manifest), index, seed});
        }
        catch (const std::exception&)
        {
        }
    }
    return runs;
}

std::string
BuildDifferenceOf(const FoundRun& run)
{
    const auto build = run.manifest.find("build");
    return DifferenceOfBuild(build == run.manifest.end() ? Json() : *build);
}

/// How a run differs from the one of the experiment that has its number, whatever its seed; "" if
/// it does not.
std::string
DifferenceOf(const FoundRun& run, const Experiment& experiment)
{
    const std::size_t points = experiment.points.size() / experiment.seeds.size();
    if (run.index >= points)
    {
        return fmt::format("the last one here is run {}", points - 1);
    }
    ExperimentPoint here = experiment.points[run.index];
    here.seed = run.seed;
    return DifferenceOf(RunIn(run.manifest), RunOf(here));
}

/// Null if the folder has none; nothing can be found in one that is no JSON.
Json
AnyManifest(const std::filesystem::path& folder)
{
    const std::filesystem::path path = folder / "manifest.json";
    return std::filesystem::is_regular_file(path)
               ? Json::parse(ina::files::read(path), nullptr, false)
               : Json();
}

/// Another version of INA Lab may have written a manifest that would be misread here.
void
CheckFormat(const std::filesystem::path& folder)
{
    const Json manifest = AnyManifest(folder);
    if (!manifest.contains("format_version"))
    {
        return;
    }
    const Json& version = manifest.at("format_version");
    if (!version.is_number_integer() || version < 0 || version > FORMAT_VERSION)
    {
        throw ResultFolderError(
            fmt::format("{}: /format_version: found {}; allowed: up to {} (another version of INA "
                        "Lab wrote it), another --out, or to remove the folder first",
                        (folder / "manifest.json").string(),
                        shorten(version.dump()),
                        FORMAT_VERSION));
    }
}

/// Runs on real packets leave no points, but the tables.
void
CheckTestbed(const std::filesystem::path& folder)
{
    if (AnyManifest(folder).contains("testbed"))
    {
        throw ResultFolderError(fmt::format("{} holds results of a testbed; allowed: another "
                                            "--out, or to remove the folder first",
                                            folder.string()));
    }
}

/// What stands where tables and manifest go, but is none of ours, is not written over.
void
CheckTables(const std::filesystem::path& folder)
{
    const auto check = [&folder](const char* name)
    {
        const std::filesystem::path path = folder / name;
        const auto status = std::filesystem::symlink_status(path);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        {
            throw ResultFolderError(fmt::format(
                "{} is not a regular file; allowed: another --out, or to remove it first",
                path.string()));
        }
    };
    std::ranges::for_each(ina::results::kTables, check);
    check("manifest.json");
    const auto isThere = [&folder](const char* name)
    { return std::filesystem::exists(folder / name); };
    const auto* table = std::ranges::find_if(ina::results::kTables, isThere);
    if (table != ina::results::kTables.end() && RunFoldersIn(folder).empty())
    {
        throw ResultFolderError(fmt::format("{} holds {} of runs that are not there; allowed: "
                                            "another --out, or to remove the folder first",
                                            folder.string(),
                                            *table));
    }
}

} // namespace

Json
RunOf(const ExperimentPoint& point)
{
    Json run;
    run["swept"] = Json::object();
    for (const auto& [pointer, value] : point.labels)
    {
        run["swept"][pointer] = value;
    }
    run["swept_numbers"] = Json::object();
    for (const SweptNumber& number : point.numbers)
    {
        run["swept_numbers"][number.column] = number.value;
    }
    run["scenario"] = to_json(point.with_seed());
    return run;
}

bool
HasRunResults(const std::filesystem::path& folder, const ExperimentPoint& point)
{
    if (!std::filesystem::exists(folder))
    {
        return false;
    }
    try
    {
        const Json manifest = ReadManifest(folder);
        const Json run = RunOf(point);
        const auto whole = [&](std::string_view table) {
            return manifest.at("tables_crc32").at(table) ==
                   ina::results::crc32_of_file(folder / table);
        };
        return DifferenceOf(RunIn(manifest), run).empty() &&
               manifest.at("swept_numbers") == run.at("swept_numbers") &&
               DifferenceOfBuild(manifest.at("build")).empty() &&
               std::ranges::all_of(ina::results::tables_of(*point.combination), whole);
    }
    catch (const std::exception&)
    {
        return false; // a damaged folder is made anew
    }
}

void
CheckOtherBuildsRuns(const std::filesystem::path& folder, const Experiment& experiment)
{
    CheckFormat(folder);
    std::ranges::for_each(RunFoldersIn(folder), CheckFormat);
    CheckTestbed(folder); // before its tables are taken for lost runs'
    CheckTables(folder);
    for (const FoundRun& run : FindRuns(folder))
    {
        const std::string difference = DifferenceOf(run, experiment);
        if (!difference.empty())
        {
            throw ResultFolderError(
                fmt::format("{} holds {} of another experiment: {}; allowed: another --out, or to "
                            "remove the folder first",
                            folder.string(),
                            run.Name(),
                            difference));
        }
    }
}

void
CheckBuildOfRuns(const std::filesystem::path& folder)
{
    for (const FoundRun& run : FindRuns(folder))
    {
        const std::string difference = BuildDifferenceOf(run);
        if (!difference.empty())
        {
            throw ResultFolderError(
                fmt::format("{} holds {} of another build: {}; allowed: --replace, another --out",
                            folder.string(),
                            run.Name(),
                            difference));
        }
    }
}

void
RemoveRunsOfOtherBuilds(const std::filesystem::path& folder)
{
    bool first = true;
    for (const FoundRun& run : FindRuns(folder))
    {
        if (BuildDifferenceOf(run).empty())
        {
            continue;
        }
        if (first) // the tables are put together from such runs
        {
            std::filesystem::remove(folder / "manifest.json");
            for (const char* table : ina::results::kTables)
            {
                std::filesystem::remove(folder / table);
            }
        }
        first = false;
        std::filesystem::remove_all(run.folder);
    }
}

} // namespace ns3
