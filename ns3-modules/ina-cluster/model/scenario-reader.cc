/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-reader.h"

#include "job-reader.h"
#include "object-reader.h"
#include "object-writer.h"
#include "scenario-check.h"
#include "scenario-fields.h"
#include "scenario-sizes.h"
#include "time-limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ns3
{

namespace
{

constexpr std::string_view LETTERS =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view OTHERS = "._-";
constexpr std::size_t MAX_NAME_BYTES = 100;
constexpr std::string_view FOLDER_NAMES =
    "up to 100 of A-Z a-z 0-9 . _ -, a letter or digit first, no dot last";

bool
MayBeInName(char c)
{
    return LETTERS.find(c) != std::string_view::npos || OTHERS.find(c) != std::string_view::npos;
}

bool
IsFolderName(std::string_view name)
{
    return !name.empty() && name.size() <= MAX_NAME_BYTES &&
           LETTERS.find(name.front()) != std::string_view::npos && name.back() != '.' &&
           std::ranges::all_of(name, MayBeInName);
}

/// What a file of that name without extension calls its results: a dash in place of blanks and of
/// whatever else folders are better without. Empty if nothing is left.
std::string
FolderNameOf(std::string_view stem)
{
    std::string name;
    for (const char c : stem.substr(std::min(stem.find_first_of(LETTERS), stem.size())))
    {
        const bool dash = !MayBeInName(c);
        if (!dash || name.back() != '-')
        {
            name += dash ? '-' : c;
        }
    }
    name.resize(std::min(name.size(), MAX_NAME_BYTES));
    name.erase(name.find_last_not_of(".-") + 1);
    return name;
}

void
ReadName(ObjectReader& root, const ScenarioDocument& document, Scenario& scenario)
{
    // All of ".json" is stem and no extension for the library, but no name for us.
    const bool unnamed = document.Path().filename() == ".json";
    const auto stem = unnamed ? "" : document.Path().stem().string();
    scenario.name = IsFolderName(stem) ? stem : FolderNameOf(stem);
    const bool given = root.Find("name") != nullptr;
    root.Text("name", scenario.name);
    if (given && !IsFolderName(scenario.name))
    {
        root.Fail("name",
                  fmt::format("\"{}\" names no folder; allowed: {}",
                              Shorten(scenario.name),
                              FOLDER_NAMES));
    }
    if (scenario.name.empty())
    {
        root.Fail("name",
                  fmt::format("missing, and the file's name makes no name of a folder; allowed: {}",
                              FOLDER_NAMES));
    }
}

} // namespace

Scenario
ReadScenario(const ScenarioDocument& document, TraceFiles& files)
{
    Scenario scenario;
    ObjectReader root(document, document.Root(), "");
    ReadName(root, document, scenario);
    root.Text("description", scenario.description);
    VisitScenario(root, scenario);
    const auto places = ReadJobs(root, scenario, files);
    for (const auto* key : {"seeds", "sweep", "extends", "$schema"})
    {
        root.Find(key);
    }
    root.Finish();
    if (IsSwitchml(scenario))
    {
        scenario.switchml.slots = SlotsPerJob(scenario);
    }
    else
    {
        const bool isAtp = scenario.system == System::atp;
        (isAtp ? scenario.atp.max_window_packets : scenario.dsa.max_window_packets) =
            MaxWindowPackets(scenario);
        (isAtp ? scenario.atp.table_entries : scenario.dsa.table_entries) = TableEntries(scenario);
    }
    CheckScenario(scenario, places, document);
    scenario.time_limit_ps = TimeLimit(scenario);
    return scenario;
}

Json
ToJson(const Scenario& scenario)
{
    ObjectWriter writer;
    writer.Text("name", scenario.name);
    writer.Text("description", scenario.description);
    VisitScenario(writer, scenario);
    auto jobs = Json::array();
    for (const auto& job : scenario.jobs)
    {
        jobs.push_back(JobToJson(job));
    }
    writer.json["jobs"] = std::move(jobs);
    writer.json["seeds"] = Json::array({scenario.seed});
    return std::move(writer.json);
}

} // namespace ns3
