/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PROTOCOL_TIME_H
#define INA_PROTOCOL_TIME_H

#include "hw/protocol/time.hpp"

#include "ns3/nstime.h"

namespace ns3
{

inline Time
InaFromProtocol(ina::Time time)
{
    return PicoSeconds(static_cast<uint64_t>(time.count()));
}

inline ina::Time
InaToProtocol(const Time& time)
{
    return ina::Time(time.GetPicoSeconds());
}

} // namespace ns3

#endif // INA_PROTOCOL_TIME_H
