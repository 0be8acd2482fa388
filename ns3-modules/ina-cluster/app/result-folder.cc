/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-folder.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

const char* const POINTS = "points";
const char* const UNFINISHED = ".tmp";
const char* const ALLOWED = "allowed: a folder to write to, or where one can be made";

/// The outermost part of a path that is not a directory.
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
        throw ResultFolderError(
            fmt::format("{} is not a directory; {}", culprit.string(), ALLOWED));
    }
    const std::string message =
        fmt::format("{} cannot be made: {}", culprit.string(), reason.message());
    if (reason.value() == ENOSPC || reason.value() == EDQUOT)
    {
        throw std::runtime_error(message);
    }
    throw ResultFolderError(fmt::format("{}; {}", message, ALLOWED));
}

void
CheckRights(const std::filesystem::path& folder)
{
    if (access(folder.c_str(), W_OK | X_OK) != 0)
    {
        throw ResultFolderError(fmt::format("{} cannot be written to: {}; {}",
                                            folder.string(),
                                            std::strerror(errno),
                                            ALLOWED));
    }
}

} // namespace

std::filesystem::path
RunFolder(const std::filesystem::path& folder, std::size_t point, std::uint64_t seed)
{
    return folder / POINTS / fmt::format("{:05}-seed{}", point, seed);
}

std::filesystem::path
RunFolder(const std::filesystem::path& folder, const ExperimentPoint& point)
{
    return RunFolder(folder, point.index, point.seed);
}

std::filesystem::path
UnfinishedRunFolder(const std::filesystem::path& folder, const ExperimentPoint& point)
{
    return RunFolder(folder, point).string() + UNFINISHED;
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

void
LockResultFolder(const std::filesystem::path& folder)
{
    // Never closed: the lock goes when the last process of this program ends.
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    {
        throw std::runtime_error(
            fmt::format("{}: another ina run is writing to it", folder.string()));
    }
}

std::vector<std::filesystem::path>
RunFoldersIn(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> runs;
    for (const auto& entry : std::filesystem::directory_iterator(folder / POINTS))
    {
        if (entry.is_directory() && entry.path().extension() != UNFINISHED)
        {
            runs.push_back(entry.path());
        }
    }
    std::sort(runs.begin(), runs.end());
    return runs;
}

} // namespace ns3
