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

/** Record of this program's build: version, commit, compiler, flags, ns-3, and the build-ids of the
 * program and of the ns-3 modules' libraries. The commit is not compiled into the program: a commit
 * without code changes leaves the program unchanged. Throws like LoadedBuildIds(). */
ina::fields::Json BuildInfo();

/** Compares two records from BuildInfo(). Returns those differences on which results may depend
 * (compiler, flags, ns-3, program, modules), such as "program 0a1b2c3d there, 4e5f6789 here".
 * Without a difference, returns "". A build without ids differs from every other build. */
std::string DifferenceOfBuilds(const ina::fields::Json& there, const ina::fields::Json& here);

} // namespace ns3

#endif // INA_BUILD_INFO_H
