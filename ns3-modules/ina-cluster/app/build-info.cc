/* SPDX-License-Identifier: GPL-2.0-only */
#include "build-info.h"

#include "ina-commit.h"
#include "safe-file.h"

#include <boost/crc.hpp>
#include <fmt/format.h>

namespace ns3
{

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
    static const std::string programCrc32 = Crc32(ReadFile("/proc/self/exe"));
    Json info;
    info["ina"] = INA_VERSION;
    info["commit"] = INA_COMMIT;
    info["program_crc32"] = programCrc32;
    info["ns3"] = INA_NS3_VERSION;
    info["compiler"] = "g++ " __VERSION__;
    return info;
}

} // namespace ns3
