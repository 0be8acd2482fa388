/* SPDX-License-Identifier: GPL-2.0-only */
#include "loaded-modules.h"

#include "scenarios/results/crc32.hpp"
#include "scenarios/results/streamed_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <link.h>
#include <map>

namespace ns3
{

namespace
{

/// What ns-3 and Debian begin the names of all modules' libraries with.
const char* const PREFIX = "libns3";

/// Paths by file names.
using Libraries = std::map<std::string, std::filesystem::path>;

Libraries
LoadedModules()
{
    Libraries found;
    const auto add = [](dl_phdr_info* library, std::size_t, void* into)
    {
        const std::filesystem::path path = library->dlpi_name;
        const std::string name = path.filename();
        if (name.starts_with(PREFIX))
        {
            static_cast<Libraries*>(into)->emplace(name, path);
        }
        return 0;
    };
    dl_iterate_phdr(add, &found);
    return found;
}

std::string
Crc32OfModules()
{
    ina::results::Crc32 checksum;
    for (const auto& [name, path] : LoadedModules())
    {
        checksum.add(fmt::format("{} {}\n", name, ina::results::crc32_of_file(path)));
    }
    return checksum.written();
}

} // namespace

const std::string&
Crc32OfLoadedModules()
{
    static const std::string checksum = Crc32OfModules();
    return checksum;
}

} // namespace ns3
