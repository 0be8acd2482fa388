/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SCENARIO_ERROR_H
#define INA_SCENARIO_ERROR_H

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace ns3
{

/// The text on one line of printable ASCII, all else as \xNN: whatever a user's text holds (line
/// ends, escape sequences, letters that turn the direction of writing, no UTF-8 at all), a message
/// shows what stands there, on any terminal.
inline std::string
OnOneLine(std::string_view text)
{
    std::string line;
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f)
        {
            line += fmt::format("\\x{:02x}", byte);
        }
        else
        {
            line += c;
        }
    }
    return line;
}

/**
 * A scenario that cannot be run. what() is one line, "FILE: PLACE: what was found, and what is
 * allowed"; the place is a JSON pointer, or line and column, and is left out if the file as a whole
 * is at fault.
 */
class ScenarioError : public std::runtime_error
{
  public:
    ScenarioError(const std::string& file, const std::string& place, const std::string& message) :
        std::runtime_error(OnOneLine(place.empty() ? file + ": " + message
                                                   : file + ": " + place + ": " + message)),
        m_file(file),
        m_place(place),
        m_message(message)
    {
    }

    const std::string&
    File() const
    {
        return m_file;
    }

    const std::string&
    Place() const
    {
        return m_place;
    }

    const std::string&
    Message() const
    {
        return m_message;
    }

  private:
    std::string m_file;
    std::string m_place;
    std::string m_message;
};

} // namespace ns3

#endif // INA_SCENARIO_ERROR_H
