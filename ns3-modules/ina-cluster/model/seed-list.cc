/* SPDX-License-Identifier: GPL-2.0-only */
#include "seed-list.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace ns3
{

namespace
{

std::optional<std::uint64_t>
ParseSeed(std::string_view text)
{
    std::uint64_t seed = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seed);
    const bool valid =
        error == std::errc() && stop == end && text.front() != '0' && seed <= MAX_SEED;
    return valid ? std::optional(seed) : std::nullopt;
}

/// First and last seed of "7-9" or "7".
std::optional<std::pair<std::uint64_t, std::uint64_t>>
ParseSeedRange(std::string_view text)
{
    const auto dash = text.find('-');
    const auto low = ParseSeed(text.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : ParseSeed(text.substr(dash + 1));
    if (!low || !high || *low > *high)
    {
        return std::nullopt;
    }
    return std::pair{*low, *high};
}

class SeedList
{
  public:
    SeedList(const ScenarioDocument& document, std::size_t max_count) :
        m_document(document), m_max_count(max_count)
    {
    }

    void
    AddNumber(const Json& number, const std::string& place)
    {
        if (!number.is_number_unsigned() || number == 0 || number > MAX_SEED)
        {
            Refuse(number, place);
        }
        Add(number.get<std::uint64_t>(), place);
    }

    void
    AddText(const Json& text, const std::string& place)
    {
        std::string_view rest = text.get_ref<const std::string&>();
        for (bool more = true; more;)
        {
            const auto comma = rest.find(',');
            const auto range = ParseSeedRange(rest.substr(0, comma));
            if (!range)
            {
                Refuse(text, place);
            }
            for (auto seed = range->first; seed <= range->second; ++seed)
            {
                Add(seed, place);
            }
            more = comma != std::string_view::npos;
            rest.remove_prefix(more ? comma + 1 : rest.size());
        }
    }

    std::vector<std::uint64_t>
    Take()
    {
        return std::move(m_seeds);
    }

    [[noreturn]] void
    Refuse(const Json& found, const std::string& place) const
    {
        m_document.Fail(
            place,
            fmt::format(
                "found {}; allowed: seeds from 1 to {}, as an integer, an array of integers, or a "
                "string such as \"1-5\" or \"1,3,7-9\"",
                Describe(found),
                MAX_SEED));
    }

  private:
    void
    Add(std::uint64_t seed, const std::string& place)
    {
        if (!m_seen.insert(seed).second)
        {
            m_document.Fail(
                place,
                fmt::format("seed {} stands here twice; allowed: each seed once", seed));
        }
        if (m_seeds.size() == m_max_count)
        {
            m_document.Fail(place,
                            fmt::format("more than {0} seeds; allowed: at most {0}", m_max_count));
        }
        m_seeds.push_back(seed);
    }

    const ScenarioDocument& m_document;
    std::size_t m_max_count;
    std::vector<std::uint64_t> m_seeds;
    std::unordered_set<std::uint64_t> m_seen;
};

} // namespace

std::vector<std::uint64_t>
ReadSeeds(const ScenarioDocument& document,
          const std::string& pointer,
          const Json& value,
          std::size_t max_count)
{
    SeedList list(document, max_count);
    if (value.is_string())
    {
        list.AddText(value, pointer);
    }
    else if (!value.is_array())
    {
        list.AddNumber(value, pointer);
    }
    else if (value.empty())
    {
        list.Refuse(value, pointer);
    }
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
    {
        list.AddNumber(value[i], PointerTo(pointer, i));
    }
    return list.Take();
}

} // namespace ns3
