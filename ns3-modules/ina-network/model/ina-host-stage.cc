/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-host-stage.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaHostStage");
NS_OBJECT_ENSURE_REGISTERED(InaHostStage);

TypeId
InaHostStage::GetTypeId()
{
    static TypeId tid = InaAddAttributesOf<InaHostStage, ina::cluster::HostStage::Config>(
        TypeId("ns3::InaHostStage")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddConstructor<InaHostStage>());
    return tid;
}

InaHostStage::InaHostStage() : m_random(CreateObject<UniformRandomVariable>()) {}

void
InaHostStage::Configure(const ina::cluster::HostStage::Config& settings, uint64_t seed)
{
    NS_LOG_FUNCTION(this << seed);
    AbortIfUsed();
    m_settings = settings;
    m_seed = seed;
}

void
InaHostStage::AbortIfUsed() const
{
    NS_ABORT_MSG_IF(
        m_directions,
        "an InaHostStage can no longer be changed: set its attributes before a frame or "
        "packet passes it");
}

void
InaHostStage::Attach()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_isAttached, "an InaHostStage belongs to two devices: create one per device");
    m_isAttached = true;
}

int64_t
InaHostStage::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    AbortIfUsed();
    m_random->SetStream(stream);
    return 1;
}

InaHostStage::Directions&
InaHostStage::Made()
{
    if (!m_directions)
    {
        if (!m_seed)
        {
            m_seed = m_random->GetInteger(0, std::numeric_limits<uint32_t>::max() - 1);
        }
        using Stage = ina::cluster::HostStage;
        m_directions.emplace(Directions{Stage(m_settings, *m_seed, Stage::Direction::send),
                                        Stage(m_settings, *m_seed, Stage::Direction::receive)});
    }
    return *m_directions;
}

} // namespace ns3
