/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_ENUM_ACCESSOR_H
#define INA_ENUM_ACCESSOR_H

#include "ns3/enum.h"

namespace ns3
{

/// From ns-3.41 on MakeEnumAccessor wants its type named; before, it could not be.
template <typename Value, typename... Accessors>
auto
MakeEnumAccessorOf(Accessors... accessors)
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

} // namespace ns3

#endif // INA_ENUM_ACCESSOR_H
