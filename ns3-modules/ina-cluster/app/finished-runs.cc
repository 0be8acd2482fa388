/* SPDX-License-Identifier: GPL-2.0-only */
#include "finished-runs.h"

#include "build-info.h"
#include "point-results.h"
#include "result-folder.h"
#include "safe-file.h"

#include "ns3/scenario-reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

Json
ReadManifest(const std::filesystem::path& folder)
{
    return Json::parse(ReadFile(folder / "manifest.json"));
}

/// RunOf() as a manifest has it.
Json
RunIn(const Json& manifest)
{
    return {{"swept", manifest.at("swept")},
            {"swept_numbers", manifest.at("swept_numbers")},
            {"scenario", manifest.at("scenario")}};
}

/// The first difference between what two runs are of, for people; "" without one. Their
/// descriptions may differ.
std::string
DifferenceOf(Json there, Json here)
{
    there.at("scenario").erase("description");
    here.at("scenario").erase("description");
    const Json changes = Json::diff(there, here);
    if (changes.empty())
    {
        return "";
    }
    const Json::json_pointer place(changes[0].at("path").get<std::string>());
    const auto text = [&place](const Json& run)
    { return run.contains(place) ? Shorten(run.at(place).dump()) : "nothing"; };
    return fmt::format("{} is {} there and {} here", place.to_string(), text(there), text(here));
}

/// What the run in a folder is one of, and how that differs from the experiment, whatever its seed;
/// "" if it does not, or if the folder is damaged: then nobody misses it.
std::string
ForeignRun(const std::filesystem::path& folder, const Experiment& experiment)
{
    const std::size_t points = experiment.points.size() / experiment.seeds.size();
    try
    {
        const Json manifest = ReadManifest(folder);
        const auto index = manifest.at("point").get<std::size_t>();
        const auto seed = manifest.at("seed").get<std::uint64_t>();
        const std::string run = fmt::format("run {} (seed {})", index, seed);
        if (index >= points)
        {
            return fmt::format("{} of another experiment: the last one here is run {}",
                               run,
                               points - 1);
        }
        ExperimentPoint here = experiment.points[index];
        here.seed = seed;
        const std::string difference = DifferenceOf(RunIn(manifest), RunOf(here));
        return difference.empty() ? ""
                                  : fmt::format("{} of another experiment: {}", run, difference);
    }
    catch (const std::exception&)
    {
        return "";
    }
}

/// Runs on real packets leave no points, but the tables.
void
CheckTestbed(const std::filesystem::path& folder)
{
    const auto path = folder / "manifest.json";
    if (std::filesystem::exists(path) &&
        Json::parse(ReadFile(path), nullptr, false).contains("testbed"))
    {
        throw ResultFolderError(fmt::format("{} holds results of a testbed; allowed: another "
                                            "--out, or to remove the folder first",
                                            folder.string()));
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
    run["scenario"] = ToJson(point.WithSeed());
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
        const auto whole = [&](const char* table)
        { return manifest.at("tables_crc32").at(table) == Crc32(ReadFile(folder / table)); };
        return DifferenceOf(RunIn(manifest), RunOf(point)).empty() &&
               manifest.at("build").at("program_crc32") == ProgramCrc32() &&
               std::all_of(RESULT_TABLES.begin(), RESULT_TABLES.end(), whole);
    }
    catch (const std::exception&)
    {
        return false; // a damaged folder is made anew
    }
}

void
CheckForeignRuns(const std::filesystem::path& folder, const Experiment& experiment)
{
    CheckTestbed(folder);
    for (const std::filesystem::path& run : RunFoldersIn(folder))
    {
        const std::string foreign = ForeignRun(run, experiment);
        if (!foreign.empty())
        {
            throw ResultFolderError(
                fmt::format("{} holds {}; allowed: another --out, or to remove the folder first",
                            folder.string(),
                            foreign));
        }
    }
}

} // namespace ns3
