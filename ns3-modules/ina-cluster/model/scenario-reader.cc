/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-reader.h"

#include "job-reader.h"
#include "object-reader.h"
#include "object-writer.h"
#include "scenario-check.h"
#include "scenario-fields.h"
#include "scenario-sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ns3
{

namespace
{

bool
IsFolderName(std::string_view name)
{
    constexpr std::string_view LETTERS =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    constexpr std::string_view OTHERS = "._-";
    return !name.empty() && name.size() <= 100 &&
           LETTERS.find(name.front()) != std::string_view::npos && name.back() != '.' &&
           std::ranges::all_of(name,
                               [&](char c) {
                                   return LETTERS.find(c) != std::string_view::npos ||
                                          OTHERS.find(c) != std::string_view::npos;
                               });
}

void
ReadName(ObjectReader& root, const ScenarioDocument& document, Scenario& scenario)
{
    scenario.name = document.Path().stem().string();
    root.Text("name", scenario.name);
    if (!IsFolderName(scenario.name))
    {
        root.Fail("name",
                  fmt::format("\"{}\" names no folder; allowed: up to 100 of A-Z a-z 0-9 . _ -, a "
                              "letter or digit first, "
                              "no dot last",
                              Shorten(scenario.name)));
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
    CheckScenario(scenario, places, document);
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
