/* SPDX-License-Identifier: GPL-2.0-only */
#include "build-info.h"

#include "code-crc32.h"
#include "loaded-modules.h"

#include "hw/files/whole_file.hpp"

#include <boost/algorithm/string/trim.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

namespace ns3
{

using namespace ina::fields;

namespace
{

const char* const PROGRAM = "/proc/self/exe";

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
        return "unknown"; // the program was copied alone
    }
}

/// What a build says of itself, as a text.
std::string
PartOf(const Json& build, const char* key)
{
    const auto found = build.is_object() ? build.find(key) : build.end();
    if (found == build.end())
    {
        return "unknown";
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

} // namespace

Json
BuildInfo()
{
    Json info;
    info["ina"] = INA_VERSION;
    info["commit"] = Commit();
    info["code_crc32"] = INA_CODE_CRC32;
    info["compiler"] = "g++ " __VERSION__;
    info["flags"] = INA_FLAGS;
    info["ns3"] = INA_NS3_VERSION;
    info["modules_crc32"] = Crc32OfLoadedModules();
    return info;
}

std::string
DifferenceOfBuild(const Json& there)
{
    return DifferenceOfBuilds(there, BuildInfo());
}

std::string
DifferenceOfBuilds(const Json& there, const Json& here)
{
    constexpr std::pair<const char*, const char*> DECISIVE[] = {{"code_crc32", "sources"},
                                                                {"compiler", "compiler"},
                                                                {"flags", "flags"},
                                                                {"ns3", "ns-3"},
                                                                {"modules_crc32", "modules"}};
    for (const auto& [key, name] : DECISIVE)
    {
        const std::string values[] = {PartOf(there, key), PartOf(here, key)};
        if (values[0] != values[1])
        {
            return fmt::format("{} {} there, {} here",
                               name,
                               shorten(values[0]),
                               shorten(values[1]));
        }
    }
    return "";
}

} // namespace ns3
