/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment-slice.h"

#include "build-info.h"
#include "experiment-results.h"
#include "finished-runs.h"
#include "result-folder.h"

#include "hw/fields/input_error.hpp"
#include "hw/fields/read_number.hpp"
#include "hw/files/whole_file.hpp"
#include "scenarios/results/crc32.hpp"
#include "scenarios/results/streamed_file.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <string_view>
#include <utility>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

const char* const SLICE_FILE = "slice.json";

/// A run by the number of its point and its seed.
using RunKey = std::pair<std::size_t, std::uint64_t>;

std::optional<std::uint32_t>
ParseNumber(std::string_view text)
{
    std::uint32_t number = 0;
    return ina::fields::read_number(text, number) ? std::optional(number) : std::nullopt;
}

/// Of what each point is, so that slices of scenarios that differ anywhere are told apart.
std::string
Crc32OfPoints(const Experiment& experiment)
{
    ina::results::Crc32 checksum;
    for (std::size_t i = 0; i < experiment.points.size() / experiment.seeds.size(); ++i)
    {
        ExperimentPoint point = experiment.points[i];
        point.seed = 1; // the seeds stand beside it
        checksum.add(RunOf(point).dump());
    }
    return checksum.written();
}

/// A slice's result folder and what its slice.json says.
struct FoundSlice
{
    std::filesystem::path folder;
    Json description; ///< of the experiment, as DescriptionOf() has it
    std::size_t points;
    std::string pointsCrc32;
    ExperimentSlice slice;
    std::vector<std::uint64_t> seeds;
};

FoundSlice
ReadSlice(const std::filesystem::path& folder)
{
    const std::filesystem::path path = folder / SLICE_FILE;
    try
    {
        const Json content = parse_strict_json(ina::files::read(path), path.string());
        const auto slice = ParseSlice(content.at("slice").get<std::string>());
        FoundSlice found{folder,
                         content.at("experiment"),
                         content.at("points").get<std::size_t>(),
                         content.at("points_crc32").get<std::string>(),
                         slice.value(),
                         content.at("experiment").at("seeds").get<std::vector<std::uint64_t>>()};
        const auto name = found.description.at("name").get<std::string>();
        if (name.empty() || std::filesystem::path(name).filename() != name ||
            found.points > kMaxPoints || found.seeds.size() > kMaxPoints)
        {
            throw std::runtime_error("no experiment");
        }
        return found;
    }
    catch (const std::exception&)
    {
        throw InputError(folder.string(),
                         "",
                         fmt::format("no {} that can be read; allowed: a folder that ina run "
                                     "--slice has made",
                                     SLICE_FILE));
    }
}

/// In the order of the experiment's runs, as experiment.hpp has it.
template <typename Visit>
void
VisitRuns(const FoundSlice& of, Visit visit)
{
    std::size_t position = 0;
    for (const std::uint64_t seed : of.seeds)
    {
        for (std::size_t point = 0; point < of.points; ++point, ++position)
        {
            visit(position, RunKey(point, seed));
        }
    }
}

std::string
NameOf(const RunKey& run)
{
    return fmt::format("run {} (seed {})", run.first, run.second);
}

void
CheckSameExperiment(const FoundSlice& first, const FoundSlice& other)
{
    const auto refuse = [&](const std::string& difference)
    {
        throw InputError(other.folder.string(),
                         "",
                         fmt::format("{}, and {} is there; allowed: slices of one scenario, with "
                                     "the same seeds, by one build",
                                     difference,
                                     first.folder.string()));
    };
    for (const char* key : {"name", "axes", "seeds"})
    {
        const Json& here = other.description.at(key);
        const Json& there = first.description.at(key);
        if (here != there)
        {
            refuse(fmt::format("its {} is {} and not {}",
                               key,
                               ina::fields::shorten(here.dump()),
                               ina::fields::shorten(there.dump())));
        }
    }
    if (other.points != first.points || other.pointsCrc32 != first.pointsCrc32)
    {
        refuse("it is of another scenario");
    }
    const std::string difference =
        DifferenceOfBuilds(first.description.at("build"), other.description.at("build"));
    if (!difference.empty())
    {
        refuse("it is of another build: " + difference);
    }
}

/// Whether a folder has the whole results of this run, by its manifest.
bool
IsWhole(const std::filesystem::path& folder, const RunKey& run)
{
    try
    {
        const std::filesystem::path path = folder / "manifest.json";
        const Json manifest = parse_strict_json(ina::files::read(path), path.string());
        for (const auto& [table, crc32] : manifest.at("tables_crc32").items())
        {
            if (crc32 != ina::results::crc32_of_file(folder / table))
            {
                return false;
            }
        }
        return manifest.at("point") == run.first && manifest.at("seed") == run.second;
    }
    catch (const std::exception&)
    {
        return false;
    }
}

/// The folders of all runs of the experiment, each once.
std::map<RunKey, std::filesystem::path>
CollectRuns(const std::vector<FoundSlice>& slices)
{
    std::map<RunKey, std::filesystem::path> runs;
    std::map<RunKey, const FoundSlice*> owners;
    for (const FoundSlice& found : slices)
    {
        CheckSameExperiment(slices.front(), found);
        const auto add = [&](std::size_t position, const RunKey& run)
        {
            if (position % found.slice.of != found.slice.number - 1)
            {
                return;
            }
            const auto [owner, isNew] = owners.emplace(run, &found);
            if (!isNew)
            {
                throw InputError(found.folder.string(),
                                 "",
                                 fmt::format("has {}, which {} has too; allowed: each slice once",
                                             NameOf(run),
                                             owner->second->folder.string()));
            }
            runs[run] = RunFolder(found.folder, run.first, run.second);
            if (!IsWhole(runs[run], run))
            {
                throw InputError(
                    found.folder.string(),
                    "",
                    fmt::format("{} is not there, or damaged; allowed: all runs of slice {}/{}: "
                                "ina run with that --slice makes what is missing",
                                NameOf(run),
                                found.slice.number,
                                found.slice.of));
            }
        };
        VisitRuns(found, add);
    }
    return runs;
}

/// The folders of all runs in the experiment's order. Throws if one is in none of the slices.
std::vector<std::pair<RunKey, std::filesystem::path>>
AllRuns(const std::vector<FoundSlice>& slices)
{
    const auto collected = CollectRuns(slices);
    std::vector<std::pair<RunKey, std::filesystem::path>> runs;
    const auto add = [&](std::size_t position, const RunKey& run)
    {
        const auto found = collected.find(run);
        if (found == collected.end())
        {
            const std::uint32_t of = slices.front().slice.of;
            throw InputError(slices.front().folder.string(),
                             "",
                             fmt::format("{} is in none of the folders; allowed: all slices, this "
                                         "one is of slice {}/{}",
                                         NameOf(run),
                                         position % of + 1,
                                         of));
        }
        runs.emplace_back(run, found->second);
    };
    VisitRuns(slices.front(), add);
    return runs;
}

} // namespace

std::optional<ExperimentSlice>
ParseSlice(const std::string& text)
{
    const std::size_t bar = text.find('/');
    if (bar == std::string::npos)
    {
        return std::nullopt;
    }
    const auto number = ParseNumber(std::string_view(text).substr(0, bar));
    const auto of = ParseNumber(std::string_view(text).substr(bar + 1));
    if (!number || !of || *number == 0 || *number > *of || *of > kMaxPoints)
    {
        return std::nullopt;
    }
    return ExperimentSlice{*number, *of};
}

std::vector<const ExperimentPoint*>
RunsOf(const Experiment& experiment, const std::optional<ExperimentSlice>& slice)
{
    std::vector<const ExperimentPoint*> runs;
    const std::size_t step = slice ? slice->of : 1;
    for (std::size_t i = slice ? slice->number - 1 : 0; i < experiment.points.size(); i += step)
    {
        runs.push_back(&experiment.points[i]);
    }
    return runs;
}

std::string
FolderNameOf(const Experiment& experiment, const std::optional<ExperimentSlice>& slice)
{
    return slice ? fmt::format("{}-slice-{}-of-{}", experiment.name, slice->number, slice->of)
                 : experiment.name;
}

void
WriteSlice(const std::filesystem::path& folder,
           const Experiment& experiment,
           const ExperimentSlice& slice)
{
    Json content;
    content["slice"] = fmt::format("{}/{}", slice.number, slice.of);
    content["points"] = experiment.points.size() / experiment.seeds.size();
    content["points_crc32"] = Crc32OfPoints(experiment);
    content["experiment"] = DescriptionOf(experiment);
    ina::files::write(folder / SLICE_FILE, content.dump(2) + '\n');
}

std::filesystem::path
MergeSlices(const std::vector<std::filesystem::path>& slices, const std::filesystem::path& out)
{
    std::vector<FoundSlice> found;
    found.reserve(slices.size());
    for (const std::filesystem::path& slice : slices)
    {
        found.push_back(ReadSlice(slice));
    }
    const auto runs = AllRuns(found);
    const Json& description = found.front().description;
    std::filesystem::path folder = out / description.at("name").get<std::string>();
    if (std::filesystem::exists(std::filesystem::symlink_status(folder)))
    {
        throw ResultFolderError(fmt::format(
            "{} is there already; allowed: another --out, or to remove the folder first",
            folder.string()));
    }
    const std::filesystem::path unfinished = folder.string() + ".tmp";
    std::filesystem::remove_all(unfinished); // of a merge that was interrupted
    MakeResultFolder(unfinished);
    std::vector<std::filesystem::path> copies;
    for (const auto& [run, source] : runs)
    {
        copies.push_back(RunFolder(unfinished, run.first, run.second));
        std::filesystem::copy(source, copies.back(), std::filesystem::copy_options::recursive);
    }
    WriteResultsOfRuns(unfinished, description, copies);
    std::filesystem::rename(unfinished, folder);
    return folder;
}

} // namespace ns3
