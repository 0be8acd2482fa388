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

/// Since ns-3.41, MakeEnumAccessor needs the type as a template argument; earlier versions do not
/// accept it.
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

/// Since ns-3.41, EnumValue is a template over the type of the value.
template <template <typename> class Value, typename T>
Value<T> InaEnumValueOf();

template <typename Value, typename T>
Value InaEnumValueOf();

using InaEnumValueOfInt = decltype(InaEnumValueOf<EnumValue, int>());

/// Since ns-3.41, EnumChecker is a template over the type of the values.
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

/// Variant of MakeEnumChecker for a list of names; the values are the indices in `names`.
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
