/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-folder.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace ns3
{

namespace
{

const char* const POINTS = "points";

/// The outermost part of a path that is no folder.
std::filesystem::path
FirstMissing(const std::filesystem::path& path)
{
    std::filesystem::path part;
    for (const auto& name : path)
    {
        part /= name;
        std::error_code ignored;
        if (!std::filesystem::is_directory(part, ignored))
        {
            break;
        }
    }
    return part;
}

[[noreturn]] void
FailToMake(const std::filesystem::path& path, const std::error_code& reason)
{
    const std::filesystem::path culprit = FirstMissing(path);
    std::error_code ignored;
    if (std::filesystem::exists(culprit, ignored))
    {
        throw ResultFolderError(fmt::format("{} is no folder", culprit.string()));
    }
    const std::string message =
        fmt::format("{} cannot be made: {}", culprit.string(), reason.message());
    if (reason.value() == ENOSPC || reason.value() == EDQUOT)
    {
        throw std::runtime_error(message);
    }
    throw ResultFolderError(message);
}

void
CheckRights(const std::filesystem::path& folder)
{
    if (access(folder.c_str(), W_OK | X_OK) != 0)
    {
        throw ResultFolderError(
            fmt::format("{} cannot be written to: {}", folder.string(), std::strerror(errno)));
    }
}

} // namespace

std::filesystem::path
PointFolder(const std::filesystem::path& folder, std::size_t point)
{
    return folder / POINTS / fmt::format("{:05}", point);
}

void
MakeResultFolder(const std::filesystem::path& folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder / POINTS, error);
    if (error)
    {
        FailToMake(folder / POINTS, error);
    }
    CheckRights(folder);
    CheckRights(folder / POINTS);
}

} // namespace ns3
