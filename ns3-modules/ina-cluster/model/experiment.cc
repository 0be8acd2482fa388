/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment.h"

#include "memory-estimate.h"
#include "quantity.h"
#include "scenario-document.h"
#include "scenario-error.h"
#include "scenario-reader.h"
#include "seed-list.h"
#include "swept-numbers.h"
#include "trace-files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>

namespace ns3
{

namespace
{

/// Keys that say which runs there are; they cannot differ between the runs.
constexpr std::array<std::string_view, 6> NOT_SWEPT{"$schema",
                                                    "extends",
                                                    "name",
                                                    "description",
                                                    "seeds",
                                                    "sweep"};

constexpr std::size_t MAX_CONTEXT_BYTES = 500;

/// Whether what stands at `pointer` is a part of what stands at `outer`.
bool
IsBelow(const std::string& pointer, const std::string& outer)
{
    return pointer.starts_with(outer + '/');
}

Json
ParseOverrideValue(const std::string& text, const std::string& origin)
{
    if (Json::accept(text))
    {
        return ParseStrictJson(text, origin);
    }
    Json value = text;
    try
    {
        value.dump();
    }
    catch (const Json::type_error&)
    {
        throw ScenarioError(origin, "", "the value is no UTF-8; allowed: JSON or text in UTF-8");
    }
    return value;
}

void
ApplyOverride(ScenarioDocument& document, const std::string& text)
{
    const Origin origin{document.Path().string() + " (--set)", document.Path().parent_path()};
    const auto equals = text.find('=');
    if (equals == std::string::npos)
    {
        throw ScenarioError(
            origin.file,
            "",
            fmt::format("found \"{}\"; allowed: /json/pointer=value", Shorten(text)));
    }
    if (equals > MAX_POINTER_BYTES)
    {
        throw ScenarioError(origin.file,
                            "",
                            fmt::format("found \"{}\"; allowed: a JSON pointer of at most {} bytes",
                                        Shorten(text),
                                        MAX_POINTER_BYTES));
    }
    auto pointer = text.substr(0, equals);
    try
    {
        pointer = JoinPointer(SplitPointer(pointer));
    }
    catch (const std::invalid_argument& error)
    {
        throw ScenarioError(origin.file,
                            "",
                            fmt::format("found \"{}\"; allowed: {}", Shorten(text), error.what()));
    }
    if (pointer == "/extends" || IsBelow(pointer, "/extends"))
    {
        throw ScenarioError(origin.file,
                            pointer,
                            "is read before overrides; allowed: any other key");
    }
    document.Set(pointer,
                 ParseOverrideValue(text.substr(equals + 1), origin.file),
                 origin,
                 pointer);
    document.Erase("/sweep", pointer);
    if (document.Root().contains("sweep") && document.Root()["sweep"].is_object())
    {
        for (const auto& [axis, values] : document.Root()["sweep"].items())
        {
            if (IsBelow(pointer, axis))
            {
                throw ScenarioError(
                    origin.file,
                    pointer,
                    fmt::format(
                        "the axis {} of the sweep would replace it; allowed: to replace the "
                        "axis as a whole",
                        axis));
            }
        }
    }
}

/// A value of an axis for people and file names: text as it is, of an object its name if it has
/// one.
std::string
Label(const Json& value)
{
    const Json& named = value.is_object() && value.contains("name") ? value["name"] : value;
    return named.is_string() ? named.get<std::string>()
                             : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The pointer that a key of "sweep" is, in its canonical form. Throws ScenarioError if it cannot
/// be an axis.
std::string
ReadAxisPointer(const ScenarioDocument& document, const std::string& key, const std::string& place)
{
    std::vector<std::string> keys;
    try
    {
        keys = SplitPointer(key);
    }
    catch (const std::invalid_argument& error)
    {
        document.Fail(place,
                      fmt::format("found the key \"{}\"; allowed: {}", Shorten(key), error.what()));
    }
    if (std::ranges::find(NOT_SWEPT, keys.front()) != NOT_SWEPT.end())
    {
        document.Fail(place,
                      fmt::format("\"{}\" is the same for all runs; allowed: any key but {}",
                                  keys.front(),
                                  fmt::join(NOT_SWEPT, ", ")));
    }
    return JoinPointer(keys);
}

SweepAxis
ReadAxis(const ScenarioDocument& document,
         const std::string& key,
         const Json& values,
         const std::string& place)
{
    SweepAxis axis{ReadAxisPointer(document, key, place), {}, {}, {}};
    if (!values.is_array() || values.empty())
    {
        document.Fail(
            place,
            fmt::format("found {}; allowed: an array of at least one value", Describe(values)));
    }
    std::set<std::string> labels;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        if (!labels.insert(Label(values[i])).second)
        {
            document.Fail(PointerTo(place, i),
                          fmt::format("{} stands here twice; allowed: values that differ",
                                      Shorten(Label(values[i]))));
        }
        axis.values.push_back(values[i]);
    }
    return axis;
}

std::vector<SweepAxis>
ReadAxes(const ScenarioDocument& document)
{
    const auto sweep = document.Root().find("sweep");
    std::vector<SweepAxis> axes;
    if (sweep == document.Root().end())
    {
        return axes;
    }
    if (!sweep->is_object())
    {
        document.Fail(
            "/sweep",
            fmt::format("found {}; allowed: an object of JSON pointers and arrays of values",
                        Describe(*sweep)));
    }
    for (const auto& [key, values] : sweep->items())
    {
        const auto place = PointerTo("/sweep", key);
        auto axis = ReadAxis(document, key, values, place);
        for (const auto& earlier : axes)
        {
            if (IsBelow(earlier.pointer, axis.pointer))
            {
                document.Fail(
                    place,
                    fmt::format(
                        "replaces {}, an earlier axis; allowed: the axis of the whole first",
                        earlier.pointer));
            }
        }
        axes.push_back(std::move(axis));
    }
    NumberAxes(axes);
    return axes;
}

/// The number of combinations of all values. Throws ScenarioError if there are too many runs.
std::size_t
CountCombinations(const ScenarioDocument& document,
                  const std::vector<SweepAxis>& axes,
                  std::size_t seeds)
{
    std::size_t combinations = 1;
    for (const auto& axis : axes)
    {
        combinations *= axis.values.size();
        if (combinations * seeds > MAX_POINTS)
        {
            document.Fail("/sweep",
                          fmt::format("more than {0} runs, with {1} seeds; allowed: at most {0}",
                                      MAX_POINTS,
                                      seeds));
        }
    }
    return combinations;
}

/// The point of a combination, without seed.
ExperimentPoint
ReadPoint(ScenarioDocument document,
          const std::vector<SweepAxis>& axes,
          std::size_t combination,
          TraceFiles& files)
{
    ExperimentPoint point;
    point.index = combination;
    std::vector<std::size_t> choice(axes.size());
    for (std::size_t a = axes.size(); a-- > 0; combination /= axes[a].values.size())
    {
        choice[a] = combination % axes[a].values.size();
    }
    std::string context;
    for (std::size_t a = 0; a < axes.size(); ++a)
    {
        const auto& value = axes[a].values[choice[a]];
        const auto place = PointerTo("/sweep", axes[a].pointer);
        document.Set(axes[a].pointer, value, document.OriginOf(place), place);
        point.labels.emplace_back(axes[a].pointer, Label(value));
        if (!axes[a].numbers.empty())
        {
            point.numbers.push_back({axes[a].pointer, axes[a].column, axes[a].numbers[choice[a]]});
        }
        context +=
            fmt::format("{}{}={}", a == 0 ? "" : ", ", axes[a].pointer, Shorten(Label(value)));
    }
    try
    {
        point.combination = std::make_shared<const Scenario>(ReadScenario(document, files));
    }
    catch (const ScenarioError& error)
    {
        if (axes.empty())
        {
            throw;
        }
        throw ScenarioError(
            error.File(),
            error.Place(),
            fmt::format("{} (with {})", error.Message(), Shorten(context, MAX_CONTEXT_BYTES)));
    }
    return point;
}

} // namespace

Scenario
ExperimentPoint::WithSeed() const
{
    Scenario scenario = *combination;
    scenario.seed = seed;
    return scenario;
}

Experiment
ReadExperiment(const std::filesystem::path& path,
               const std::vector<std::string>& overrides,
               const std::string& seeds)
{
    auto document = ScenarioDocument::ReadExtended(path);
    for (const auto& text : overrides)
    {
        ApplyOverride(document, text);
    }
    if (!seeds.empty())
    {
        const Origin origin{path.string() + " (--seeds)", path.parent_path()};
        document.Set("/seeds", seeds, origin, "/seeds");
    }
    Experiment experiment;
    experiment.seeds = document.Root().contains("seeds")
                           ? ReadSeeds(document, "/seeds", document.Root()["seeds"], MAX_POINTS)
                           : std::vector<std::uint64_t>{1};
    experiment.axes = ReadAxes(document);
    const auto combinations = CountCombinations(document, experiment.axes, experiment.seeds.size());
    TraceFiles files;
    std::vector<ExperimentPoint> points;
    std::uint64_t bytes = 0;
    for (std::size_t combination = 0; combination < combinations; ++combination)
    {
        points.push_back(ReadPoint(document, experiment.axes, combination, files));
        for (const JobScenario& job : points.back().combination->jobs)
        {
            bytes += BytesOf(job);
        }
        if (bytes > MAX_EXPERIMENT_BYTES)
        {
            document.Fail("/sweep",
                          fmt::format("the layers and speeds of {} combinations take more than {} "
                                      "of memory; allowed: at most that",
                                      combinations,
                                      FormatBytes(MAX_EXPERIMENT_BYTES)));
        }
    }
    for (const auto seed : experiment.seeds)
    {
        for (auto& point : points)
        {
            point.seed = seed;
            experiment.points.push_back(point);
        }
    }
    experiment.name = points.front().combination->name;
    experiment.description = points.front().combination->description;
    return experiment;
}

} // namespace ns3
