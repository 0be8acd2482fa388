/* SPDX-License-Identifier: GPL-2.0-only */
#include "streamed-file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr std::size_t PIECE_BYTES = std::size_t{1} << 16;

/// Pipes would wait for somebody who writes.
std::ifstream
OpenRegular(const std::filesystem::path& path)
{
    errno = 0;
    std::ifstream file;
    if (std::filesystem::is_regular_file(path))
    {
        file.open(path, std::ios::binary);
    }
    if (!file.is_open())
    {
        throw std::runtime_error(
            fmt::format("{}: cannot be read: {}",
                        path.string(),
                        errno == 0 ? "no regular file" : std::strerror(errno)));
    }
    return file;
}

/// Calls take(piece) for the pieces of a file, from where it stands.
template <typename Take>
void
ForEachPiece(std::ifstream& file, const std::filesystem::path& path, Take take)
{
    std::array<char, PIECE_BYTES> piece;
    while (file)
    {
        file.read(piece.data(), piece.size());
        take(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
    }
    if (!file.eof())
    {
        throw std::runtime_error(
            fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
    }
}

std::string
Written(const boost::crc_32_type& checksum)
{
    return fmt::format("{:08x}", checksum.checksum());
}

} // namespace

StreamedFile::StreamedFile(const std::filesystem::path& path) : m_file(path) {}

void
StreamedFile::Write(std::string_view piece)
{
    m_checksum.process_bytes(piece.data(), piece.size());
    m_file.write(piece);
}

void
StreamedFile::Append(const std::filesystem::path& other, unsigned skippedLines)
{
    std::ifstream file = OpenRegular(other);
    for (std::string line; skippedLines > 0 && std::getline(file, line); --skippedLines)
    {
    }
    ForEachPiece(file, other, [this](std::string_view piece) { Write(piece); });
}

std::string
StreamedFile::Finish()
{
    m_file.keep();
    return Written(m_checksum);
}

std::string
Crc32OfFile(const std::filesystem::path& path)
{
    std::ifstream file = OpenRegular(path);
    boost::crc_32_type checksum;
    ForEachPiece(file,
                 path,
                 [&checksum](std::string_view piece)
                 { checksum.process_bytes(piece.data(), piece.size()); });
    return Written(checksum);
}

} // namespace ns3
