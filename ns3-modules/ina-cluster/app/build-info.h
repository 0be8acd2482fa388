/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_BUILD_INFO_H
#define INA_BUILD_INFO_H

#include "hw/fields/strict_json.hpp"

#include <string>
#include <string_view>

namespace ns3
{

/** What this program was made of: its version, commit, a checksum of the code, compiler, flags,
 * ns-3, and a checksum of the ns-3 modules' libraries. The commit is no part of the program, so
 * that one that changes no code changes nothing. */
ina::fields::Json BuildInfo();

/** How a build, as BuildInfo() of some program says it, differs from this one in what results may
 * depend on (code, compiler, flags, ns-3, modules), such as "sources 0a1b2c3d there, 4e5f6789
 * here"; "" if it does not. */
std::string DifferenceOfBuild(const ina::fields::Json& there);

/** The same of any two builds, as BuildInfo() of some programs says them. */
std::string DifferenceOfBuilds(const ina::fields::Json& there, const ina::fields::Json& here);

} // namespace ns3

#endif // INA_BUILD_INFO_H
