/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_CSV_ROW_H
#define INA_CSV_ROW_H

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

/** One row of a CSV file (RFC 4180). */
class CsvRow
{
  public:
    CsvRow&
    Text(std::string_view text)
    {
        Separate();
        if (text.find_first_of(",\"\n\r") == std::string_view::npos)
        {
            m_line += text;
            return *this;
        }
        m_line += '"';
        for (const char c : text)
        {
            m_line.append(c == '"' ? 2 : 1, c);
        }
        m_line += '"';
        return *this;
    }

    CsvRow&
    Number(uint64_t number)
    {
        Separate();
        m_line += fmt::format("{}", number);
        return *this;
    }

    /** A time in picoseconds, written exactly in microseconds. */
    CsvRow&
    Microseconds(int64_t ps)
    {
        constexpr int64_t PS_PER_US = 1'000'000;
        Separate();
        m_line += fmt::format("{}.{:06}", ps / PS_PER_US, ps % PS_PER_US);
        return *this;
    }

    /** A cell without content, for what there is not. */
    CsvRow&
    Nothing()
    {
        Separate();
        return *this;
    }

    const std::string&
    Line() const
    {
        return m_line;
    }

  private:
    void
    Separate()
    {
        if (!m_first)
        {
            m_line += ',';
        }
        m_first = false;
    }

    std::string m_line;
    bool m_first{true};
};

} // namespace ns3

#endif // INA_CSV_ROW_H
