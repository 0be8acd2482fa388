/* SPDX-License-Identifier: GPL-2.0-only */
#include "safe-file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ns3
{

namespace
{

/// What is no file, a pipe or a device, is not replaced.
bool
IsReplaced(const std::filesystem::path& path)
{
    return !std::filesystem::exists(path) || std::filesystem::is_regular_file(path);
}

} // namespace

std::string
WhyNotWritable(const std::filesystem::path& path)
{
    if (std::filesystem::is_directory(path))
    {
        return std::strerror(EISDIR);
    }
    const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
    const bool can = IsReplaced(path) ? access((parent / "").c_str(), W_OK | X_OK) == 0
                                      : access(path.c_str(), W_OK) == 0;
    return can ? "" : std::strerror(errno);
}

void
WriteFile(const std::filesystem::path& path, std::string_view content)
{
    const bool replace = IsReplaced(path);
    const std::filesystem::path target = replace ? path.string() + ".tmp" : path.string();
    errno = 0;
    std::ofstream file(target, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file)
    {
        const std::string reason = std::strerror(errno);
        std::error_code ignored;
        if (replace)
        {
            std::filesystem::remove(target, ignored);
        }
        throw std::runtime_error(fmt::format("{}: cannot be written: {}", path.string(), reason));
    }
    if (replace)
    {
        std::filesystem::rename(target, path);
    }
}

std::string
ReasonOf(const std::exception& error)
{
    const auto* trouble = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    return trouble == nullptr
               ? error.what()
               : fmt::format("{}: {}", trouble->path1().string(), trouble->code().message());
}

std::string
ReadFile(const std::filesystem::path& path)
{
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file)
    {
        throw std::runtime_error(
            fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
    }
    return content;
}

} // namespace ns3
