/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_STREAMED_FILE_H
#define INA_STREAMED_FILE_H

#include "hw/files/part_file.hpp"

#include <boost/crc.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * A file that is written piece by piece, with the CRC-32 of what it holds; there is none before it
 * is whole. For what may be larger than the memory. Everything throws std::runtime_error with the
 * path and the reason.
 */
class StreamedFile
{
  public:
    explicit StreamedFile(const std::filesystem::path& path);

    void Write(std::string_view piece);
    /** The lines of another file, without its first ones. */
    void Append(const std::filesystem::path& other, unsigned skippedLines);
    /** Gives the file its name; returns its checksum as manifests have it. */
    std::string Finish();

  private:
    ina::files::PartFile m_file;
    boost::crc_32_type m_checksum;
};

/** The CRC-32 of a file, as manifests have it. */
std::string Crc32OfFile(const std::filesystem::path& path);

} // namespace ns3

#endif // INA_STREAMED_FILE_H
