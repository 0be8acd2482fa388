// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace ina::ports {

/// Returns the folder's path without symbolic links. Throws PortError, which begins with `where`,
/// unless no other user (root excepted) can enter the folder, or put another one in its place.
std::filesystem::path private_folder(const std::filesystem::path& folder, const std::string& where);

}  // namespace ina::ports
