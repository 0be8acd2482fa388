/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "build-info.h"

#include "build-ids.h"

#include "hw/files/whole_file.hpp"

#include <boost/algorithm/string/trim.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <utility>

namespace ns3
{

using namespace ina::fields;

namespace
{

const char* const PROGRAM = "/proc/self/exe";
const char* const UNKNOWN = "unknown";

/// Reads the file that commit.cmake writes next to the program.
std::string
Commit()
{
    try
    {
        const auto program = std::filesystem::read_symlink(PROGRAM).string();
        return boost::trim_copy(ina::files::read(program + ".commit"));
    }
    catch (const std::runtime_error&)
    {
        return UNKNOWN; // the program was copied without the file
    }
}

/// A value of a build record, as text.
std::string
PartOf(const Json& build, const std::string& key)
{
    const auto found = build.is_object() ? build.find(key) : build.end();
    if (found == build.end())
    {
        return UNKNOWN;
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

/// Difference in one part, under its display name; "" if both builds have the same value. Missing
/// values count as a difference, because such builds may differ.
std::string
DifferenceOf(const std::string& name, const std::string& key, const Json& there, const Json& here)
{
    const std::string values[] = {PartOf(there, key), PartOf(here, key)};
    if (values[0] == values[1] && values[0] != UNKNOWN)
    {
        return "";
    }
    return fmt::format("{} {} there, {} here", name, shorten(values[0]), shorten(values[1]));
}

/// Difference in the first library that differs; "" if all are equal.
std::string
DifferenceOfModules(const Json& there, const Json& here)
{
    std::set<std::string> names;
    for (const Json& modules : {there, here})
    {
        for (const auto& [name, id] : modules.items())
        {
            names.insert(name);
        }
    }
    for (const std::string& name : names)
    {
        const std::string difference = DifferenceOf("library " + name, name, there, here);
        if (!difference.empty())
        {
            return difference;
        }
    }
    return "";
}

} // namespace

Json
BuildInfo()
{
    Json info;
    info["ina"] = INA_VERSION;
    info["commit"] = Commit();
    info["compiler"] = "g++ " __VERSION__;
    info["flags"] = INA_FLAGS;
    info["ns3"] = INA_NS3_VERSION;
    const BuildIds ids = LoadedBuildIds();
    info["program_id"] = ids.program;
    info["module_ids"] = ids.modules;
    return info;
}

std::string
DifferenceOfBuilds(const Json& there, const Json& here)
{
    // The first three keys are compared first, because they explain a different program.
    constexpr std::pair<const char*, const char*> DECISIVE[] = {{"compiler", "compiler"},
                                                                {"flags", "flags"},
                                                                {"ns3", "ns-3"},
                                                                {"program_id", "program"}};
    for (const auto& [key, name] : DECISIVE)
    {
        const std::string difference = DifferenceOf(name, key, there, here);
        if (!difference.empty())
        {
            return difference;
        }
    }
    return DifferenceOfModules(there.value("module_ids", Json()), here.value("module_ids", Json()));
}

} // namespace ns3
