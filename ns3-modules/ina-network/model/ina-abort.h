/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_ABORT_H
#define INA_ABORT_H

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <exception>
#include <new>
#include <string>
#include <variant>

namespace ns3
{

/** Aborts unless time steps are picoseconds: a short frame at 800 Gbps takes only 640 ps. */
inline void
InaAbortUnlessPicoseconds()
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS,
                    "in-network aggregation is simulated in picoseconds: call "
                    "Time::SetResolution(Time::PS) at the beginning of main()");
}

/** Aborts if the rate is 0. The message begins with `name`, the attribute and its class. */
inline void
InaAbortIfZero(const DataRate& rate, const char* name)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, name << " must be more than 0bps");
}

/** Returns the result of `function`. Aborts if `function` throws, but rethrows std::bad_alloc. */
template <class Function>
decltype(auto)
InaAbortIfThrown(Function&& function)
{
    std::string reason;
    try
    {
        return function();
    }
    catch (const std::bad_alloc&)
    {
        throw; // not a mistake of the caller
    }
    catch (const std::exception& error)
    {
        reason = error.what();
    }
    NS_ABORT_MSG(reason); // not in the handler: there, the exception would count as uncaught
}

/** Calls `function`, which handles a frame at `receiver`. Aborts if it reads fields that the frame
 * does not have, because they are those of another packet format. */
template <class Function>
inline void
InaAbortIfOtherFormat(const char* receiver, Function&& function)
{
    bool hasOtherFields = false;
    try
    {
        function();
    }
    catch (const std::bad_variant_access&)
    {
        hasOtherFields = true;
    }
    NS_ABORT_MSG_IF(hasOtherFields,
                    receiver << " received a frame of another packet format: set Frame::fields as "
                                "returned by ina::wire::fields_of()");
}

} // namespace ns3

#endif // INA_ABORT_H
