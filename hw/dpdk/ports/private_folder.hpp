// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace ina::ports {

/// Returns the folder's path without symbolic links. Throws PortError if any user but this one and
/// root can enter or replace the folder. The error message begins with `where`.
std::filesystem::path private_folder(const std::filesystem::path& folder, const std::string& where);

}  // namespace ina::ports
