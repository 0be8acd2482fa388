// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

namespace ina::files {

/// Resolves symbolic links, even if their target does not exist yet.
std::filesystem::path target_of(const std::filesystem::path& path);

/// The descriptor of this process that a path names, such as /dev/fd/63; nothing for other paths.
std::optional<int> own_descriptor(const std::filesystem::path& path);

}  // namespace ina::files
