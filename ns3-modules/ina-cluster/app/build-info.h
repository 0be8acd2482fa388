/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_BUILD_INFO_H
#define INA_BUILD_INFO_H

#include "ns3/strict-json.h"

#include <string>
#include <string_view>

namespace ns3
{

/** What this program was made of: its version, commit, compiler, ns-3, and a checksum of the
 * program itself. The commit is no part of the program, so that one that changes no code changes no
 * checksum. */
Json BuildInfo();

/** The checksum of this program. */
const std::string& ProgramCrc32();

/** The CRC32 of some bytes, as eight hexadecimal digits. */
std::string Crc32(std::string_view bytes);

} // namespace ns3

#endif // INA_BUILD_INFO_H
