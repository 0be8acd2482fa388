/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_BUILD_IDS_H
#define INA_BUILD_IDS_H

#include <map>
#include <string>

namespace ns3
{

/** GNU build-ids, in hexadecimal digits, of all code on which results depend. */
struct BuildIds
{
    std::string program;
    /// Shared libraries of ns-3 modules, by file name: those of ns-3, third-party ones and, in an
    /// ns-3 tree, also this project's.
    std::map<std::string, std::string> modules;
};

/** Returns the build-ids of this process. If a file has no build-id, throws std::runtime_error with
 * the file's path. */
BuildIds LoadedBuildIds();

} // namespace ns3

#endif // INA_BUILD_IDS_H
