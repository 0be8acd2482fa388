/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-collision-policy.h"

#include "ns3/ina-protocol-time.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

namespace ns3
{

using ina::policies::CollisionPolicy;
using ina::policies::Parameter;

namespace
{

constexpr char OPEN = '[';
constexpr char CLOSE = ']';
constexpr char BETWEEN = '|';
constexpr char IS = '=';
constexpr std::string_view TIME_UNITS[] = {"ps", "ns", "us", "ms", "s"};

/// The value of a parameter. If the text is not a value, a number below the allowed range.
std::int64_t
ValueOf(const Parameter& parameter, const std::string& text)
{
    std::istringstream stream(text);
    if (parameter.kind == Parameter::Kind::time)
    {
        double number = 0;
        std::string unit;
        stream >> number >> unit; // avoids Time, which aborts on invalid text
        const bool isTime = stream && std::ranges::find(TIME_UNITS, unit) != std::end(TIME_UNITS);
        return isTime ? InaToProtocol(Time(text)).count() : parameter.low - 1;
    }
    std::int64_t value = 0;
    return stream >> value && stream.eof() ? value : parameter.low - 1;
}

/// Sets a parameter from "name=value".
bool
SetParameter(CollisionPolicy& policy, const std::string& text)
{
    const auto is = std::min(text.find(IS), text.size() - 1);
    bool isSet = false;
    ina::policies::for_each_parameter(
        policy,
        [&](const Parameter& parameter, std::int64_t& value)
        {
            if (parameter.name == std::string_view(text).substr(0, is))
            {
                value = ValueOf(parameter, text.substr(is + 1));
                isSet = value >= parameter.low && value <= parameter.high;
            }
        });
    return isSet;
}

/// Sets the parameters from "[name=value|name=value]".
bool
SetParameters(CollisionPolicy& policy, const std::string& text)
{
    if (text.size() < 2 || text.front() != OPEN || text.back() != CLOSE)
    {
        return false;
    }
    std::istringstream list(text.substr(1, text.size() - 2));
    for (std::string one; std::getline(list, one, BETWEEN);)
    {
        if (one.empty() || !SetParameter(policy, one))
        {
            return false;
        }
    }
    return true;
}

} // namespace

std::ostream&
operator<<(std::ostream& os, const CollisionPolicy& policy)
{
    os << ina::policies::name_of(policy);
    char before = OPEN;
    ina::policies::for_each_parameter(policy,
                                      [&](const Parameter& parameter, std::int64_t value)
                                      {
                                          os << before << parameter.name << IS << value;
                                          os << (parameter.kind == Parameter::Kind::time ? "ps"
                                                                                         : "");
                                          before = BETWEEN;
                                      });
    if (before == BETWEEN)
    {
        os << CLOSE;
    }
    return os;
}

std::istream&
operator>>(std::istream& is, CollisionPolicy& policy)
{
    const std::string text(std::istreambuf_iterator<char>(is), {});
    is.setstate(std::ios::eofbit);
    const auto open = std::min(text.find(OPEN), text.size());
    const auto all = ina::policies::every_policy();
    const auto found = std::ranges::find(all, text.substr(0, open), ina::policies::name_of);
    CollisionPolicy read = found == all.end() ? policy : *found;
    if (found == all.end() || (open < text.size() && !SetParameters(read, text.substr(open))))
    {
        is.setstate(std::ios::failbit);
        return is;
    }
    policy = read;
    return is;
}

ATTRIBUTE_VALUE_IMPLEMENT_WITH_NAME(CollisionPolicy, InaCollisionPolicy);
ATTRIBUTE_CHECKER_IMPLEMENT_WITH_NAME(InaCollisionPolicy, "ina::policies::CollisionPolicy");

} // namespace ns3
