/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-arrivals.h"

#include "ina-channel.h"
#include "ina-net-device.h"

#include "ns3/abort.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ns3
{

InaArrivals::InaArrivals(uint32_t node) : InaEventSource(node) {}

void
InaArrivals::AddDevice(InaNetDevice& device)
{
    NS_ABORT_MSG_IF(m_devices.size() >> DEVICE_BITS != 0, "too many devices at one node");
    device.SetArrivals(this, m_devices.size());
    m_devices.push_back(&device);
    m_directions.push_back(nullptr);
    m_nextTs.push_back(NEVER);
    m_leastDelay = NEVER;
}

/// Calls `visit(device)` for each device with arrivals until `lastTs`.
template <class Visit>
void
InaArrivals::VisitExpected(int64_t lastTs, Visit&& visit) const
{
    for (std::size_t device = 0; device < m_nextTs.size(); ++device)
    {
        if (m_nextTs[device] <= lastTs)
        {
            visit(device);
        }
    }
}

void
InaArrivals::Fire(int64_t ts)
{
    m_beginTs = ts;
    m_lastWasWindow = MayRunAhead() && !IsWatched();
    Handle(m_lastWasWindow ? WindowEnd(ts) : ts, m_lastWasWindow);
    ExpectNext();
}

/// Fetches the next frames of all links into the cache, unless single instants are handled. In one
/// instant only few frames arrive, on unknown links, and this function would evict more useful data
/// than it fetches.
void
InaArrivals::FetchAhead(unsigned step) const
{
    if (!m_lastWasWindow)
    {
        return;
    }
    switch (step)
    {
    case 0:
        ina::fetch_line(m_nextTs.data());
        ina::fetch_line(m_directions.data());
        ina::fetch_line(m_devices.data());
        break;
    case 1:
        VisitExpected(NEVER - 1,
                      [this](std::size_t device) { ina::fetch_line(m_directions[device]); });
        break;
    case 2: // all devices: frames may leave by any, and each is checked for trace sinks
        std::ranges::for_each(m_devices, &InaFrameState::FetchHotLines);
        break;
    case 3:
        VisitExpected(NEVER - 1,
                      [this](std::size_t device) { m_directions[device]->FetchFirst(); });
        break;
    default:
        break;
    }
}

/// Last time step to which no arrivals can be added, because frames that are sent from now on
/// arrive later.
int64_t
InaArrivals::WindowEnd(int64_t ts)
{
    if (m_leastDelay == NEVER) [[unlikely]]
    {
        FindLeastDelay();
    }
    const int64_t beforeOrdinary = NextOrdinaryTs() - 1;
    return std::max(ts, beforeOrdinary - ts < m_leastDelay ? beforeOrdinary : ts + m_leastDelay);
}

void
InaArrivals::FindLeastDelay()
{
    for (const InaNetDevice* device : m_devices)
    {
        const auto channel = DynamicCast<InaChannel>(device->GetChannel());
        if (channel && channel->GetNDevices() == 2)
        {
            channel->DirectionFrom(
                *device); // fixes the delay, which bounds each window from now on
            m_leastDelay = std::min(m_leastDelay, channel->DelaySteps());
        }
    }
}

void
InaArrivals::RunUntil(int64_t ts)
{
    if (!IsArmed() || m_expectedTs > ts)
    {
        return;
    }
    m_beginTs = m_expectedTs;
    Handle(ts, false);
    Disarm();
    ExpectNext();
}

bool
InaArrivals::IsWatched() const
{
    return std::ranges::any_of(m_devices,
                               [](const InaNetDevice* device)
                               { return device->IsWatched() || device->CarriesPackets(); });
}

/// `ahead`: whether frames may stay on their links until the end, because nothing observes the
/// arrivals.
void
InaArrivals::Handle(int64_t lastTs, bool ahead)
{
    m_handling = true;
    CollectArrivals(lastTs);
    SortArrivals(lastTs);
    if (ahead && HandleWindow())
    {
        ForgetHandled(lastTs);
    }
    else
    {
        DeliverOneByOne();
    }
    FindNextTs();
    RunOwnUntil(lastTs);
    m_handling = false;
}

/// Handles observed arrivals. An observer may send on links with arrivals, and frames then move.
void
InaArrivals::DeliverOneByOne()
{
    for (const QueuedArrival& arrival : m_arrivals)
    {
        const int64_t ts = TimeOf(arrival);
        if (m_ownTs < ts)
        {
            RunOwnUntil(ts - 1);
        }
        m_directions[DeviceOf(arrival)]->DeliverNext(ts);
    }
}

void
InaArrivals::ForgetHandled(int64_t lastTs)
{
    for (const OfDevice& of : m_ofDevices)
    {
        m_directions[of.device]->ForgetHandled(of.framesInOrder, lastTs);
        m_devices[of.device]->CountReceived(of.frames, of.bytes);
    }
}

/// Updates the next arrival of the devices that had one.
void
InaArrivals::FindNextTs()
{
    for (const OfDevice& of : m_ofDevices)
    {
        m_nextTs[of.device] = m_directions[of.device]->NextTs();
    }
}

void
InaArrivals::CollectArrivals(int64_t lastTs)
{
    m_arrivals.clear();
    m_ofDevices.clear();
    std::size_t before = NO_DEVICE;
    VisitExpected(lastTs,
                  [this, lastTs, &before](std::size_t device)
                  {
                      if (lastTs != m_beginTs)
                      {
                          // FetchAhead() fetched the frames of all devices, more than the nearest
                          // cache holds.
                          m_directions[device]->FetchFirst();
                      }
                      CollectArrivalsAt(std::exchange(before, device), lastTs);
                  });
    CollectArrivalsAt(before, lastTs);
}

inline void
InaArrivals::CollectArrivalsAt(std::size_t device, int64_t lastTs)
{
    if (device == NO_DEVICE)
    {
        return;
    }
    const std::size_t before = m_arrivals.size();
    uint64_t bytes = 0;
    const std::size_t inOrder = m_directions[device]->VisitArrivals(
        lastTs,
        [this, device, &bytes](int64_t ts, ina::Frame& frame)
        {
            bytes += frame.bytes;
            m_arrivals.push_back(
                {static_cast<uint64_t>(ts - m_beginTs) << DEVICE_BITS | device, &frame});
        });
    m_ofDevices.push_back({device, inOrder, m_arrivals.size() - before, bytes});
}

/// Bucket sort with as many time spans as arrivals. Each span has few arrivals, because arrivals
/// are evenly distributed over time.
void
InaArrivals::SortArrivals(int64_t lastTs)
{
    constexpr std::size_t FEW = 32;
    if (m_arrivals.size() > FEW)
    {
        const auto length = static_cast<uint64_t>(lastTs - m_beginTs) << DEVICE_BITS | 0xffff;
        const auto shift = static_cast<int>(std::bit_width(length / m_arrivals.size()));
        m_places.assign((length >> shift) + 2, 0);
        for (const QueuedArrival& arrival : m_arrivals)
        {
            ++m_places[(arrival.order >> shift) + 1];
        }
        for (std::size_t span = 1; span < m_places.size(); ++span)
        {
            m_places[span] += m_places[span - 1];
        }
        m_sorted.resize(m_arrivals.size());
        for (const QueuedArrival& arrival : m_arrivals)
        {
            m_sorted[m_places[arrival.order >> shift]++] = arrival;
        }
        std::swap(m_arrivals, m_sorted);
    }
    for (std::size_t i = 1; i < m_arrivals.size(); ++i)
    {
        const QueuedArrival arrival = m_arrivals[i];
        std::size_t at = i;
        for (; at > 0 && m_arrivals[at - 1].order > arrival.order; --at)
        {
            m_arrivals[at] = m_arrivals[at - 1];
        }
        m_arrivals[at] = arrival;
    }
}

void
InaArrivals::RunOwnUntil(int64_t lastTs)
{
    while (m_ownTs <= lastTs)
    {
        const int64_t ts = m_ownTs;
        m_ownTs = NEVER;
        m_ownTs = std::min(RunOwn(ts), m_ownTs);
    }
}

void
InaArrivals::ExpectNext()
{
    int64_t next = m_ownTs;
    for (const int64_t ts : m_nextTs)
    {
        next = std::min(next, ts);
    }
    if (next != NEVER)
    {
        ExpectAt(next);
    }
}

} // namespace ns3
