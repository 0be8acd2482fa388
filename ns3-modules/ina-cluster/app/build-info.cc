/* SPDX-License-Identifier: GPL-2.0-only */
#include "build-info.h"

#include "safe-file.h"

#include <boost/algorithm/string/trim.hpp>
#include <boost/crc.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace ns3
{

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
        return boost::trim_copy(ReadFile(program + ".commit"));
    }
    catch (const std::runtime_error&)
    {
        return "unknown"; // the program was copied alone
    }
}

} // namespace

const std::string&
ProgramCrc32()
{
    static const std::string checksum = Crc32(ReadFile(PROGRAM));
    return checksum;
}

std::string
Crc32(std::string_view bytes)
{
    boost::crc_32_type checksum;
    checksum.process_bytes(bytes.data(), bytes.size());
    return fmt::format("{:08x}", checksum.checksum());
}

Json
BuildInfo()
{
    Json info;
    info["ina"] = INA_VERSION;
    info["commit"] = Commit();
    info["program_crc32"] = ProgramCrc32();
    info["ns3"] = INA_NS3_VERSION;
    info["compiler"] = "g++ " __VERSION__;
    return info;
}

} // namespace ns3
