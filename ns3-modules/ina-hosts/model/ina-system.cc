/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-system.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaSystem);

TypeId
InaSystem::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaSystem").SetParent<Object>().SetGroupName("Ina");
    return tid;
}

ina::programs::JobEntry
InaSystem::MakeJobEntry(uint32_t, uint16_t workers, ina::HostId server) const
{
    ina::programs::JobEntry entry;
    entry.workers = workers;
    entry.server = server;
    return entry;
}

uint32_t
InaSystem::ExponentSlots() const
{
    return 0;
}

std::unique_ptr<ina::ParameterServer>
InaSystem::MakeServer(const ina::ServerIdentity&, ina::ValuePool&) const
{
    return nullptr;
}

} // namespace ns3
