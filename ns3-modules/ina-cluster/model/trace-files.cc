/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace-files.h"

#include "scenario-error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <system_error>

#ifndef INA_TRACES_DIR
#define INA_TRACES_DIR "traces"
#endif

namespace ns3
{

namespace
{

constexpr std::string_view SPEEDS_HEADER = "worker,iteration,relative_time";

/// The names of the profiles in the folder, sorted.
std::vector<std::string>
KnownProfiles(const std::filesystem::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
    {
        if (entry->path().extension() == ".json")
        {
            names.push_back(entry->path().stem().string());
        }
    }
    std::ranges::sort(names);
    return names;
}

std::filesystem::path
NamedProfile(const ScenarioDocument& document, const std::string& pointer, const std::string& name)
{
    const auto folder = TracesDirectory() / "profiles";
    const auto known = KnownProfiles(folder);
    if (std::ranges::find(known, name) == known.end())
    {
        const auto nearest = NearestName(name, known);
        document.Fail(
            pointer,
            fmt::format(
                "found {}, no profile{}; allowed: the path of a .json file, or a profile in {}: {}",
                Describe(name),
                nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest),
                folder.string(),
                known.empty() ? "there are none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    return folder / (name + ".json");
}

/// Fails at the pointer that names the file if it cannot be read.
std::string
ReadNamedFile(const ScenarioDocument& document,
              const std::string& pointer,
              const std::filesystem::path& path)
{
    try
    {
        return ReadTextFile(path);
    }
    catch (const std::runtime_error& error)
    {
        document.Fail(pointer, fmt::format("{} cannot be read: {}", path.string(), error.what()));
    }
}

/// The whole of the text as a number, if it is one.
template <typename T>
std::optional<T>
Number(std::string_view text)
{
    T number{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional<T>(number) : std::nullopt;
}

/// Takes the text up to the separator, which goes too, off the front.
std::string_view
TakeUntil(std::string_view& text, char separator)
{
    const auto end = text.find(separator);
    const auto front = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return front;
}

/// The text without the rows of empty cells at its end, which spreadsheets leave there.
std::string_view
WithoutBlankTail(std::string_view text)
{
    const auto last = text.find_last_not_of(", \t\r\n");
    const auto end = last == std::string_view::npos ? 0 : text.find('\n', last);
    return text.substr(0, end);
}

/// The row with its cells out of their quotes. Whatever quotes are left make no number.
std::string
WithoutQuotes(std::string_view row)
{
    std::string plain;
    for (bool more = true; more;)
    {
        more = row.find(',') != std::string_view::npos;
        auto cell = TakeUntil(row, ',');
        if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
        {
            cell = cell.substr(1, cell.size() - 2);
        }
        plain += cell;
        plain += more ? "," : "";
    }
    return plain;
}

/// Adds the row of a worker's next iteration; returns what is wrong with it, if anything.
std::string
AddSpeed(std::string_view row, SpeedTable& table)
{
    const auto worker = Number<std::size_t>(TakeUntil(row, ','));
    const auto iteration = Number<std::size_t>(TakeUntil(row, ','));
    const auto factor = Number<double>(row);
    if (!worker || !iteration || !factor)
    {
        return "allowed: two integers and a number";
    }
    // NaN fails the comparison, too.
    if (!(*factor > 0 && *factor <= MAX_SPEED_FACTOR))
    {
        return fmt::format("allowed: a relative time above 0, at most {}", MAX_SPEED_FACTOR);
    }
    if (*worker > table.size())
    {
        return fmt::format("allowed: workers counted from 0, at most {} here", table.size());
    }
    if (*worker == table.size())
    {
        table.emplace_back();
    }
    if (*iteration != table[*worker].size())
    {
        return fmt::format("allowed: the next iteration of worker {}, {}",
                           *worker,
                           table[*worker].size());
    }
    table[*worker].push_back(*factor);
    return "";
}

} // namespace

std::filesystem::path
TracesDirectory()
{
    const char* directory = std::getenv("INA_TRACES");
    return directory != nullptr && *directory != '\0' ? directory : INA_TRACES_DIR;
}

const ModelProfile&
TraceFiles::Profile(const ScenarioDocument& document,
                    const std::string& pointer,
                    const std::string& name)
{
    const auto path = name.ends_with(".json")
                          ? (document.OriginOf(pointer).directory / name).lexically_normal()
                          : NamedProfile(document, pointer, name);
    auto found = m_profiles.find(path);
    if (found == m_profiles.end())
    {
        const auto file = ScenarioDocument::Parse(path, ReadNamedFile(document, pointer, path));
        ObjectReader reader(file, file.Root(), "");
        auto profile = ReadProfile(reader, path.stem().string());
        reader.Finish();
        found = m_profiles.emplace(path, std::move(profile)).first;
    }
    return found->second;
}

const SpeedTable&
TraceFiles::Speeds(const ScenarioDocument& document,
                   const std::string& pointer,
                   const std::string& name)
{
    auto path = (document.OriginOf(pointer).directory / name).lexically_normal();
    std::error_code unreadable; // is told by the reading
    if (const auto shipped = TracesDirectory() / name;
        !std::filesystem::exists(path, unreadable) && std::filesystem::exists(shipped, unreadable))
    {
        path = shipped;
    }
    auto found = m_speeds.find(path);
    if (found == m_speeds.end())
    {
        found =
            m_speeds
                .emplace(path, ParseSpeeds(ReadNamedFile(document, pointer, path), path.string()))
                .first;
    }
    return found->second;
}

SpeedTable
ParseSpeeds(std::string_view text, const std::string& file)
{
    SpeedTable table;
    text = WithoutBlankTail(text);
    bool header = false;
    for (std::size_t line = 1; !text.empty(); ++line)
    {
        auto row = TakeUntil(text, '\n');
        row = row.substr(0, row.size() - (row.ends_with('\r') ? 1 : 0));
        if (row.starts_with('#'))
        {
            continue;
        }
        std::string fault;
        if (header)
        {
            fault = AddSpeed(WithoutQuotes(row), table);
        }
        else if (WithoutQuotes(row) != SPEEDS_HEADER)
        {
            fault = fmt::format("{}allowed: the header {}",
                                row.find(';') == std::string_view::npos
                                    ? ""
                                    : "columns are separated by commas, not by semicolons, and "
                                      "numbers have a point; ",
                                SPEEDS_HEADER);
        }
        header = true;
        if (!fault.empty())
        {
            throw ScenarioError(file,
                                fmt::format("line {}", line),
                                fmt::format("found \"{}\"; {}", Shorten(std::string(row)), fault));
        }
    }
    if (table.empty())
    {
        throw ScenarioError(
            file,
            "",
            fmt::format("found no rows; allowed: rows under the header {}", SPEEDS_HEADER));
    }
    return table;
}

} // namespace ns3
