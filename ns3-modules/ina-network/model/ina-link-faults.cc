/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-link-faults.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaLinkFaults");
NS_OBJECT_ENSURE_REGISTERED(InaLinkFaults);

TypeId
InaLinkFaults::GetTypeId()
{
    static TypeId tid = InaAddAttributesOf<InaLinkFaults, ina::faults::LinkFaults::Config>(
        TypeId("ns3::InaLinkFaults")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddConstructor<InaLinkFaults>());
    return tid;
}

InaLinkFaults::InaLinkFaults() : m_random(CreateObject<UniformRandomVariable>()) {}

void
InaLinkFaults::Configure(const ina::faults::LinkFaults::Config& settings, uint64_t seed)
{
    NS_LOG_FUNCTION(this << seed);
    AbortIfUsed();
    m_settings = settings;
    m_seed = seed;
}

void
InaLinkFaults::AbortIfUsed() const
{
    NS_ABORT_MSG_IF(
        m_faults,
        "an InaLinkFaults can no longer be changed: set its attributes before the first "
        "frame, or add another one with InaNetDevice::AddFaults()");
}

void
InaLinkFaults::SetLostFrames(const std::vector<uint64_t>& numbers)
{
    NS_LOG_FUNCTION(this);
    AbortIfUsed();
    m_settings.lost_frames = numbers;
}

int64_t
InaLinkFaults::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    AbortIfUsed();
    m_random->SetStream(stream);
    return 1;
}

void
InaLinkFaults::Make()
{
    if (!m_seed)
    {
        m_seed = m_random->GetInteger(0, std::numeric_limits<uint32_t>::max() - 1);
    }
    m_faults.emplace(m_settings, *m_seed);
}

} // namespace ns3
