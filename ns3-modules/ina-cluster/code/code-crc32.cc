/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * code-crc32 HEADER FILE...: writes a header with the CRC32 of the code in the files. Comments and
 * the kind and amount of blanks between tokens do not count, so that they make no other build. The
 * header is left alone if it says that already.
 */
#include "hw/files/whole_file.hpp"

#include <boost/crc.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace
{

bool
IsWordPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Copies the tokens of a C++ text, with one blank where there are blanks or comments.
class CodeCopier
{
  public:
    explicit CodeCopier(std::string_view rest) : m_rest(rest) {}

    std::string
    Copy()
    {
        while (!m_rest.empty())
        {
            if (std::isspace(static_cast<unsigned char>(m_rest.front())) != 0)
            {
                Skip(1);
            }
            else if (m_rest.starts_with("//"))
            {
                Skip(LengthOfLine());
            }
            else if (m_rest.starts_with("/*"))
            {
                Skip(LengthUntil("*/", 2));
            }
            else
            {
                Take(LengthOfToken());
            }
        }
        return m_code;
    }

  private:
    std::size_t
    LengthUntil(std::string_view end, std::size_t from) const
    {
        const std::size_t found = m_rest.find(end, from);
        return found == std::string_view::npos ? m_rest.size() : found + end.size();
    }

    /// A backslash continues a comment of one line on the next one.
    std::size_t
    LengthOfLine() const
    {
        std::size_t end = LengthUntil("\n", 0);
        while (end >= 2 && m_rest[end - 2] == '\\' && end < m_rest.size())
        {
            end = LengthUntil("\n", end);
        }
        return end;
    }

    std::size_t
    LengthOfToken() const
    {
        const char first = m_rest.front();
        if (IsWordPart(first))
        {
            return LengthOfWord();
        }
        return first == '"' || first == '\'' ? LengthOfLiteral() : 1;
    }

    /// A word or a number, with the apostrophes between its digits; of a raw string all of it.
    std::size_t
    LengthOfWord() const
    {
        const bool number = std::isdigit(static_cast<unsigned char>(m_rest.front())) != 0;
        std::size_t length = 1;
        while (length < m_rest.size() &&
               (IsWordPart(m_rest[length]) || (number && m_rest[length] == '\'')))
        {
            ++length;
        }
        if (m_rest[length - 1] != 'R' || !m_rest.substr(length).starts_with('"'))
        {
            return length;
        }
        const std::size_t bracket = m_rest.find('(', length);
        if (bracket == std::string_view::npos)
        {
            return length;
        }
        const auto delimiter = m_rest.substr(length + 1, bracket - length - 1);
        return LengthUntil(fmt::format("){}\"", delimiter), bracket);
    }

    std::size_t
    LengthOfLiteral() const
    {
        std::size_t end = 1;
        while (end < m_rest.size() && m_rest[end] != m_rest.front())
        {
            end += m_rest[end] == '\\' ? 2 : 1;
        }
        return std::min(end + 1, m_rest.size());
    }

    void
    Skip(std::size_t length)
    {
        m_rest.remove_prefix(length);
        m_blank = true;
    }

    void
    Take(std::size_t length)
    {
        if (m_blank && !m_code.empty())
        {
            m_code += ' ';
        }
        m_blank = false;
        m_code += m_rest.substr(0, length);
        m_rest.remove_prefix(length);
    }

    std::string_view m_rest;
    std::string m_code;
    bool m_blank{false};
};

void
Run(const std::filesystem::path& header, const std::vector<std::string>& files)
{
    boost::crc_32_type checksum;
    for (const std::string& file : files)
    {
        const std::string text = ina::files::read(file);
        const std::string code = CodeCopier(text).Copy() + '\n';
        checksum.process_bytes(code.data(), code.size());
    }
    const std::string content =
        fmt::format("#define INA_CODE_CRC32 \"{:08x}\"\n", checksum.checksum());
    if (!std::filesystem::exists(header) || ina::files::read(header) != content)
    {
        ina::files::write(header, content);
    }
}

} // namespace

int
main(int argc, char** argv)
try
{
    if (argc < 3)
    {
        throw std::runtime_error("allowed: code-crc32 HEADER FILE...");
    }
    Run(argv[1], {argv + 2, argv + argc});
    return 0;
}
catch (const std::exception& error)
{
    std::fprintf(stderr, "code-crc32: %s\n", error.what());
    return 1;
}
