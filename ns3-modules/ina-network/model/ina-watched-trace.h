/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_WATCHED_TRACE_H
#define INA_WATCHED_TRACE_H

#include "ns3/ptr.h"
#include "ns3/trace-source-accessor.h"

#include <string>
#include <utility>

namespace ns3
{

/**
 * \ingroup ina-network
 * Accessor of a trace source that notifies the owner when sinks are connected or disconnected. From
 * the next event on, an owner with sinks does not run ahead of the simulator's clock.
 */
template <class T>
class InaWatchedTraceAccessor : public TraceSourceAccessor
{
  public:
    /// Method of the owner that is called after sinks were connected or disconnected.
    using Watch = void (T::*)();

    InaWatchedTraceAccessor(Ptr<const TraceSourceAccessor> source, Watch watch) :
        m_source(std::move(source)), m_watch(watch)
    {
    }

    bool
    ConnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        return Tell(object, m_source->ConnectWithoutContext(object, sink));
    }

    bool
    Connect(ObjectBase* object, std::string context, const CallbackBase& sink) const override
    {
        return Tell(object, m_source->Connect(object, std::move(context), sink));
    }

    bool
    DisconnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        return Tell(object, m_source->DisconnectWithoutContext(object, sink));
    }

    bool
    Disconnect(ObjectBase* object, std::string context, const CallbackBase& sink) const override
    {
        return Tell(object, m_source->Disconnect(object, std::move(context), sink));
    }

  private:
    bool
    Tell(ObjectBase* object, bool succeeded) const
    {
        if (succeeded)
        {
            (static_cast<T*>(object)->*m_watch)();
        }
        return succeeded;
    }

    Ptr<const TraceSourceAccessor> m_source;
    Watch m_watch;
};

/** Variant of MakeTraceSourceAccessor() that calls `watch` when the sinks of `trace` change. */
template <class T, class Trace, class Owner>
Ptr<const TraceSourceAccessor>
MakeInaWatchedTraceAccessor(Trace Owner::*trace, void (T::*watch)())
{
    return Create<InaWatchedTraceAccessor<T>>(
        MakeTraceSourceAccessor(static_cast<Trace T::*>(trace)),
        watch);
}

} // namespace ns3

#endif // INA_WATCHED_TRACE_H
