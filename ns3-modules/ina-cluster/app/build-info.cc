/* SPDX-License-Identifier: GPL-2.0-only */
#include "build-info.h"

#include "ina-commit.h"
#include "safe-file.h"

#include <boost/crc.hpp>
#include <fmt/format.h>

namespace ns3
{

Json BuildInfo()
{
    boost::crc_32_type checksum;
    const std::string program = ReadFile("/proc/self/exe");
    checksum.process_bytes(program.data(), program.size());
    Json info;
    info["ina"] = INA_VERSION;
    info["commit"] = INA_COMMIT;
    info["program_crc32"] = fmt::format("{:08x}", checksum.checksum());
    info["ns3"] = INA_NS3_VERSION;
    info["compiler"] = "g++ " __VERSION__;
    return info;
}

} // namespace ns3
