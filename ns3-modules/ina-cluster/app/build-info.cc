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

/// As commit.cmake writes it beside the program.
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
        return UNKNOWN; // the program was copied alone
    }
}

/// The value of a key in the record of a build, as a text.
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

/// How a part differs, named as people do; "" if both builds have the same. Nobody knows whether
/// two builds that do not say it are the same one.
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

/// How the first library that differs does; "" if none does.
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
    // The first three explain why the program differs.
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
