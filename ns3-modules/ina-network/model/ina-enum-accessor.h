/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_ENUM_ACCESSOR_H
#define INA_ENUM_ACCESSOR_H

#include "ns3/enum.h"
#include "ns3/ptr.h"

#include <string>

namespace ns3
{

/// MakeEnumAccessor for all versions of ns-3. Since ns-3.41 it needs the type as a template
/// argument, which earlier versions do not accept.
template <typename Value, typename... Accessors>
auto
InaMakeEnumAccessorOf(Accessors... accessors)
{
    if constexpr (requires { MakeEnumAccessor<Value>(accessors...); })
    {
        return MakeEnumAccessor<Value>(accessors...);
    }
    else
    {
        return MakeEnumAccessor(accessors...);
    }
}

/// Declares the type of an EnumValue of T. Since ns-3.41, EnumValue is a template.
template <template <typename> class Value, typename T>
Value<T> InaEnumValueOf();

template <typename Value, typename T>
Value InaEnumValueOf();

using InaEnumValueOfInt = decltype(InaEnumValueOf<EnumValue, int>());

/// Creates an EnumChecker. Since ns-3.41, EnumChecker is a template of the value's type.
template <template <typename> class Checker, typename Value>
Ptr<Checker<Value>>
InaCreateEnumChecker()
{
    return Create<Checker<Value>>();
}

template <typename Checker, typename Value>
Ptr<Checker>
InaCreateEnumChecker()
{
    return Create<Checker>();
}

/// Variant of MakeEnumChecker for a list of names. The value of a name is its index in `names`.
template <typename Names>
Ptr<const AttributeChecker>
InaMakeEnumCheckerByIndex(const Names& names)
{
    const auto checker = InaCreateEnumChecker<EnumChecker, int>();
    int index = 0;
    for (const auto& name : names)
    {
        checker->Add(index++, std::string(name));
    }
    return checker;
}

} // namespace ns3

#endif // INA_ENUM_ACCESSOR_H
