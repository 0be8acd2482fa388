/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "build-ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <link.h>
#include <stdexcept>
#include <string_view>

namespace ns3
{

namespace
{

/// Common prefix of all module libraries, ns-3's own and Debian's.
const char* const PREFIX = "libns3";

std::string
Hexadecimal(std::string_view bytes)
{
    std::string digits;
    for (const char byte : bytes)
    {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return digits;
}

/// Splits off the first bytes of a segment, padded to its alignment, and returns them.
std::string_view
Take(std::string_view& segment, std::size_t bytes, std::size_t alignment)
{
    const std::string_view taken = segment.substr(0, bytes);
    const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
    segment.remove_prefix(std::min(padded, segment.size()));
    return taken;
}

/// Finds the build-id among the notes of a segment; "" if there is none.
std::string
BuildIdIn(std::string_view segment, std::size_t alignment)
{
    while (segment.size() >= sizeof(ElfW(Nhdr)))
    {
        ElfW(Nhdr) note;
        std::memcpy(&note, Take(segment, sizeof note, 1).data(), sizeof note);
        const std::string_view owner = Take(segment, note.n_namesz, alignment);
        const std::string_view content = Take(segment, note.n_descsz, alignment);
        if (note.n_type == NT_GNU_BUILD_ID && owner == std::string_view("GNU\0", 4))
        {
            return Hexadecimal(content);
        }
    }
    return "";
}

/// Build-id of a program or library; "" if it has none.
std::string
BuildIdOf(const dl_phdr_info& object)
{
    for (std::size_t i = 0; i < object.dlpi_phnum; ++i)
    {
        const ElfW(Phdr)& header = object.dlpi_phdr[i];
        if (header.p_type != PT_NOTE)
        {
            continue;
        }
        const auto* begin = reinterpret_cast<const char*>(object.dlpi_addr + header.p_vaddr);
        const std::string id = BuildIdIn({begin, header.p_memsz}, header.p_align == 8 ? 8 : 4);
        if (!id.empty())
        {
            return id;
        }
    }
    return "";
}

/// Records an object that the dynamic linker has loaded. The first one is the program, without a
/// name.
int
Add(dl_phdr_info* object, std::size_t /*size*/, void* into)
{
    auto& ids = *static_cast<BuildIds*>(into);
    const std::string name = std::filesystem::path(object->dlpi_name).filename();
    if (name.empty())
    {
        ids.program = BuildIdOf(*object);
    }
    else if (name.starts_with(PREFIX))
    {
        ids.modules.emplace(name, BuildIdOf(*object));
    }
    return 0;
}

void
Require(const std::string& file, const std::string& id)
{
    if (id.empty())
    {
        throw std::runtime_error(
            fmt::format("{}: it has no GNU build-id, by which results know their build; link it "
                        "with -Wl,--build-id",
                        file));
    }
}

} // namespace

BuildIds
LoadedBuildIds()
{
    BuildIds ids;
    dl_iterate_phdr(Add, &ids);
    Require("this program", ids.program);
    for (const auto& [name, id] : ids.modules)
    {
        Require(name, id);
    }
    return ids;
}

} // namespace ns3
