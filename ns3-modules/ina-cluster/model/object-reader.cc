/* SPDX-License-Identifier: GPL-2.0-only */
#include "object-reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// A kind of quantity: how it is read and written, and what messages call it.
template <typename T>
struct Kind
{
    std::string_view noun;
    std::string_view units;
    std::string_view example;
    T (*parse)(std::string_view);
    std::string (*format)(T);
};

constexpr Kind<std::int64_t> TIME{"a time", TIME_UNITS, "2.5us", ParseTime, FormatTime};
constexpr Kind<std::uint64_t> RATE{"a rate", RATE_UNITS, "100Gbps", ParseRate, FormatRate};
constexpr Kind<std::uint64_t> BYTES{"a size", BYTE_UNITS, "5MB", ParseBytes, FormatBytes};

template <typename T>
T
ReadQuantity(const ScenarioDocument& document,
             const Json& value,
             const std::string& pointer,
             const Kind<T>& kind,
             Bounds<T> bounds,
             const std::string& instead = {})
{
    std::string reason;
    if (value.is_string())
    {
        try
        {
            const T number = kind.parse(value.get_ref<const std::string&>());
            if (number >= bounds.low && number <= bounds.high)
            {
                return number;
            }
            reason = number < bounds.low ? ", too small" : ", too large";
        }
        catch (const QuantityError& error)
        {
            reason = fmt::format(", {}", error.what());
        }
    }
    else if (value.is_number())
    {
        reason = ", give a unit";
    }
    document.Fail(
        pointer,
        fmt::format(
            "found {}{}; allowed: {}{} from {} to {}, as a string with its unit ({}), such as "
            "\"{}\"",
            Describe(value),
            reason,
            instead,
            kind.noun,
            kind.format(bounds.low),
            kind.format(bounds.high),
            kind.units,
            kind.example));
}

std::size_t
EditDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
    {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        auto diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

} // namespace

ObjectReader::ObjectReader(const ScenarioDocument& document,
                           const Json& value,
                           std::string pointer) :
    m_document(document), m_value(value), m_pointer(std::move(pointer))
{
    if (!value.is_object())
    {
        document.Fail(m_pointer, fmt::format("found {}; allowed: an object", Describe(value)));
    }
}

const Json*
ObjectReader::Find(std::string_view key)
{
    if (std::ranges::find(m_known, key) == m_known.end())
    {
        m_known.emplace_back(key);
    }
    const auto found = m_value.find(key);
    return found == m_value.end() ? nullptr : &*found;
}

void
ObjectReader::Require(std::string_view key)
{
    if (!m_value.contains(key))
    {
        m_missing.emplace_back(key);
    }
}

std::string
ObjectReader::PointerOf(std::string_view key) const
{
    return PointerTo(m_pointer, key);
}

void
ObjectReader::Boolean(std::string_view key, bool& target)
{
    if (const Json* value = Find(key))
    {
        if (!value->is_boolean())
        {
            Refuse(key, "true or false");
        }
        target = value->get<bool>();
    }
}

void
ObjectReader::Probability(std::string_view key, double& target)
{
    if (const Json* value = Find(key))
    {
        const double found = value->is_number() ? value->get<double>() : -1;
        if (!(found >= 0 && found <= 1))
        {
            Refuse(key, "a number from 0 to 1");
        }
        target = found;
    }
}

void
ObjectReader::Text(std::string_view key, std::string& target)
{
    if (const Json* value = Find(key))
    {
        if (!value->is_string())
        {
            Refuse(key, "a string");
        }
        target = value->get<std::string>();
    }
}

void
ObjectReader::Constant(std::string_view key, std::string_view only)
{
    ReadChoice(key, {&only, 1});
}

void
ObjectReader::Time(std::string_view key, std::int64_t& target, Bounds<std::int64_t> bounds)
{
    if (const Json* value = Find(key))
    {
        target = ReadQuantity(m_document, *value, PointerOf(key), TIME, bounds);
    }
}

void
ObjectReader::Numbers(std::string_view key,
                      std::vector<std::uint64_t>& target,
                      Bounds<std::uint64_t> bounds,
                      std::size_t most)
{
    const Json* value = Find(key);
    if (value == nullptr)
    {
        return;
    }
    const std::string integer = fmt::format("an integer from {} to {}", bounds.low, bounds.high);
    if (!value->is_array() || value->size() > most)
    {
        Refuse(key, fmt::format("an array of at most {}, each {}", most, integer));
    }
    std::set<std::uint64_t> before;
    for (std::size_t i = 0; i < value->size(); ++i)
    {
        const Json& element = (*value)[i];
        const auto refuse = [&](const std::string& allowed)
        {
            m_document.Fail(PointerTo(PointerOf(key), std::to_string(i)),
                            fmt::format("found {}; allowed: {}", Describe(element), allowed));
        };
        const bool allowed = element.is_number_unsigned() &&
                             element.get<std::uint64_t>() >= bounds.low &&
                             element.get<std::uint64_t>() <= bounds.high;
        if (!allowed)
        {
            refuse(integer);
        }
        if (!before.insert(element.get<std::uint64_t>()).second)
        {
            refuse("each number once");
        }
    }
    target = value->get<std::vector<std::uint64_t>>();
}

void
ObjectReader::Time(std::string_view key,
                   std::optional<std::int64_t>& target,
                   Bounds<std::int64_t> bounds)
{
    if (const Json* value = Find(key))
    {
        target = ReadQuantity(m_document, *value, PointerOf(key), TIME, bounds);
    }
}

void
ObjectReader::TimeOr(std::string_view word,
                     std::string_view key,
                     std::optional<std::int64_t>& target,
                     Bounds<std::int64_t> bounds)
{
    const Json* value = Find(key);
    if (value == nullptr)
    {
        return;
    }
    const auto quoted = fmt::format("\"{}\"", word);
    target =
        *value == word
            ? std::nullopt
            : std::optional(
                  ReadQuantity(m_document, *value, PointerOf(key), TIME, bounds, quoted + ", or "));
}

void
ObjectReader::Rate(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds)
{
    if (const Json* value = Find(key))
    {
        target = ReadQuantity(m_document, *value, PointerOf(key), RATE, bounds);
    }
}

void
ObjectReader::Bytes(std::string_view key, std::uint64_t& target, Bounds<std::uint64_t> bounds)
{
    if (const Json* value = Find(key))
    {
        target = ReadQuantity(m_document, *value, PointerOf(key), BYTES, bounds);
    }
}

void
ObjectReader::Range(std::string_view key, TimeRange& target)
{
    if (const Json* value = Find(key))
    {
        Uniform(key, *value, target, nullptr);
    }
}

void
ObjectReader::Jitter(std::string_view key, JitterScenario& target)
{
    if (const Json* value = Find(key))
    {
        Uniform(key, *value, target.range, &target.per);
    }
}

void
ObjectReader::Uniform(std::string_view key, const Json& value, TimeRange& target, JitterPer* per)
{
    if (!value.is_object())
    {
        target.low_ps = ReadQuantity(m_document, value, PointerOf(key), TIME, ANY_TIME);
        target.high_ps = target.low_ps;
        return;
    }
    ObjectReader reader(m_document, value, PointerOf(key));
    reader.Require("uniform");
    if (const Json* ends = reader.Find("uniform"))
    {
        if (!ends->is_array() || ends->size() != 2)
        {
            reader.Refuse("uniform", "an array of two times, the lowest and the highest");
        }
        const auto pointer = reader.PointerOf("uniform");
        target.low_ps = ReadQuantity(m_document, (*ends)[0], PointerTo(pointer, 0), TIME, ANY_TIME);
        target.high_ps =
            ReadQuantity(m_document, (*ends)[1], PointerTo(pointer, 1), TIME, ANY_TIME);
        if (target.low_ps > target.high_ps)
        {
            reader.Fail("uniform",
                        fmt::format("found {} before {}; allowed: the lowest time first",
                                    FormatTime(target.low_ps),
                                    FormatTime(target.high_ps)));
        }
    }
    if (per != nullptr)
    {
        reader.Choice("per", *per, JITTER_NAMES);
    }
    reader.Finish();
}

void
ObjectReader::Finish() const
{
    for (const auto& [key, value] : m_value.items())
    {
        if (std::ranges::find(m_known, key) == m_known.end())
        {
            const auto nearest = NearestName(key, m_known);
            Fail(Shorten(key),
                 fmt::format("unknown key{}; allowed: {}",
                             nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest),
                             fmt::join(m_known, ", ")));
        }
    }
    if (!m_missing.empty())
    {
        Fail(m_missing.front(), "the key is missing, and it has no default");
    }
}

void
ObjectReader::Fail(std::string_view key, const std::string& message) const
{
    m_document.Fail(PointerOf(key), message);
}

void
ObjectReader::Refuse(std::string_view key, const std::string& allowed) const
{
    Fail(key,
         fmt::format("found {}; allowed: {}", Describe(m_value.at(std::string(key))), allowed));
}

std::optional<std::uint64_t>
ObjectReader::ReadInteger(std::string_view key, Bounds<std::uint64_t> bounds)
{
    const Json* value = Find(key);
    if (value == nullptr)
    {
        return std::nullopt;
    }
    const bool whole = value->is_number_integer();
    const bool negative = whole && !value->is_number_unsigned() && value->get<std::int64_t>() < 0;
    const auto number = whole && !negative ? value->get<std::uint64_t>() : 0;
    if (!whole || negative || number < bounds.low || number > bounds.high)
    {
        Refuse(key, fmt::format("an integer from {} to {}", bounds.low, bounds.high));
    }
    return number;
}

std::optional<std::size_t>
ObjectReader::ReadChoice(std::string_view key, std::span<const std::string_view> names)
{
    const Json* value = Find(key);
    if (value == nullptr)
    {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        if (value->is_string() && value->get_ref<const std::string&>() == names[i])
        {
            return i;
        }
    }
    Refuse(key, fmt::format("\"{}\"", fmt::join(names, "\", \"")));
}

std::optional<std::uint64_t>
ObjectReader::ReadSet(std::string_view key, std::span<const char* const> names)
{
    const Json* value = Find(key);
    if (value == nullptr)
    {
        return std::nullopt;
    }
    const auto allowed = fmt::format("\"{}\"", fmt::join(names, "\", \""));
    if (!value->is_array() || value->empty())
    {
        Refuse(key, "an array of one or more of " + allowed);
    }
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < value->size(); ++i)
    {
        const Json& element = (*value)[i];
        const auto name = std::find_if(names.begin(),
                                       names.end(),
                                       [&](const char* candidate) { return element == candidate; });
        const auto bit = std::uint64_t{1} << (name - names.begin());
        if (name == names.end() || (mask & bit) != 0)
        {
            m_document.Fail(
                PointerTo(PointerOf(key), i),
                fmt::format("found {}; allowed: {}, each once", Describe(element), allowed));
        }
        mask |= bit;
    }
    return mask;
}

std::string
NearestName(std::string_view name, const std::vector<std::string>& names)
{
    std::string nearest;
    // Half of the letters wrong is another word, unless it is the beginning of one ("memory" for
    // "memory_bytes").
    auto least = std::max<std::size_t>(name.size() / 2, 2) + 1;
    for (const auto& candidate : names)
    {
        const auto distance =
            name.size() >= 3 && candidate.starts_with(name) ? 1 : EditDistance(name, candidate);
        if (distance < least)
        {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

} // namespace ns3
