/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_BUILD_INFO_H
#define INA_BUILD_INFO_H

#include "hw/fields/strict_json.hpp"

#include <string>
#include <string_view>

namespace ns3
{

/** What this program was made of: its version, commit, compiler, flags, ns-3, its build-id and
 * those of the ns-3 modules' libraries. The commit is not part of the program: a commit that
 * changes no code changes nothing. Throws as LoadedBuildIds(). */
ina::fields::Json BuildInfo();

/** How two builds, as BuildInfo() of their programs describes them, differ in what results may
 * depend on (compiler, flags, ns-3, program, modules), such as "program 0a1b2c3d there, 4e5f6789
 * here"; "" if they do not. A build without ids differs from every other one. */
std::string DifferenceOfBuilds(const ina::fields::Json& there, const ina::fields::Json& here);

} // namespace ns3

#endif // INA_BUILD_INFO_H
