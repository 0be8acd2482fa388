/* SPDX-License-Identifier: GPL-2.0-only */
#include "swept-numbers.h"

#include "quantity.h"
#include "result-columns.h"

#include <algorithm>
#include <string_view>

namespace ns3
{

namespace
{

Json
MicrosecondsOf(std::string_view text)
{
    constexpr std::int64_t PS_PER_US = 1'000'000;
    const std::int64_t ps = ParseTime(text);
    return ps % PS_PER_US == 0 ? Json(ps / PS_PER_US)
                               : Json(static_cast<double>(ps) / static_cast<double>(PS_PER_US));
}

Json
BitsPerSecondOf(std::string_view text)
{
    return ParseRate(text);
}

Json
BytesOf(std::string_view text)
{
    return ParseBytes(text);
}

/// What a quantity is a number of.
struct Kind
{
    const char* suffix;
    Json (*parse)(std::string_view);
};

constexpr Kind KINDS[] = {{"_us", MicrosecondsOf}, {"_bps", BitsPerSecondOf}, {"_bytes", BytesOf}};

/// The values as numbers of that kind; none if one of them is something else.
std::vector<Json>
NumbersOf(const std::vector<Json>& values, const Kind& kind)
{
    std::vector<Json> numbers;
    for (const Json& value : values)
    {
        if (!value.is_string())
        {
            return {};
        }
        try
        {
            numbers.push_back(kind.parse(value.get_ref<const std::string&>()));
        }
        catch (const QuantityError&)
        {
            return {};
        }
    }
    return numbers;
}

bool
IsResultColumn(std::string_view name)
{
    const auto in = [name](const auto& columns)
    { return std::ranges::find(columns, name) != columns.end(); };
    return in(POINT_COLUMNS) || in(JOB_COLUMNS) || in(ITERATION_COLUMNS) || in(SWITCH_COLUMNS) ||
           in(LINK_COLUMNS);
}

/// The names that the column of an axis may have, the shortest first.
std::vector<std::string>
TailsOf(const std::string& pointer, std::string_view suffix)
{
    std::vector<std::string> tails;
    std::string tail;
    const auto keys = SplitPointer(pointer);
    for (auto key = keys.rbegin(); key != keys.rend(); ++key)
    {
        tail = tail.empty() ? *key : *key + '_' + tail;
        tails.push_back(tail.ends_with(suffix) ? tail : tail + std::string(suffix));
    }
    return tails;
}

} // namespace

void
NumberAxes(std::vector<SweepAxis>& axes)
{
    std::vector<std::vector<std::string>> tails(axes.size());
    for (std::size_t a = 0; a < axes.size(); ++a)
    {
        for (const Kind& kind : KINDS)
        {
            if (axes[a].numbers.empty())
            {
                axes[a].numbers = NumbersOf(axes[a].values, kind);
                tails[a] = TailsOf(axes[a].pointer, kind.suffix);
            }
        }
        if (axes[a].numbers.empty())
        {
            tails[a].clear();
        }
    }
    for (std::size_t a = 0; a < axes.size(); ++a)
    {
        const auto isTaken = [&](const std::string& name)
        {
            const auto has = [&](const auto& others)
            { return &others != &tails[a] && std::ranges::find(others, name) != others.end(); };
            return IsResultColumn(name) || std::ranges::any_of(tails, has);
        };
        if (!tails[a].empty())
        {
            const auto free = std::ranges::find_if_not(tails[a], isTaken);
            axes[a].column = free == tails[a].end() ? tails[a].back() : *free;
        }
    }
}

} // namespace ns3
