/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-system.h"

#include "ina-system-of.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ina-enum-accessor.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <boost/mp11.hpp>
#include <limits>
#include <type_traits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaSystem);

namespace
{

/// Registers each system of the list, as NS_OBJECT_ENSURE_REGISTERED would. This is in this file so
/// that all programs that link InaSystem have all systems.
const bool g_registered = []
{
    boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, ina::systems::All>>(
        [](auto settings)
        {
            using System = InaSystemOf<typename decltype(settings)::type>;
            TypeId tid = System::GetTypeId();
            tid.SetSize(sizeof(System));
            tid.GetParent();
        });
    return true;
}();

} // namespace

TypeId
InaSystem::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaSystem")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddAttribute(
                "Aggregators",
                "Number of aggregators that the memory of a switch holds. For SwitchML: slots "
                "of all jobs.",
                UintegerValue(ina::cluster::Environment().aggregators),
                MakeUintegerAccessor(&InaSystem::SetAggregators, &InaSystem::GetAggregators),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Hash",
                          "Hash function of job and PSN that selects the aggregator of a packet.",
                          EnumValue(static_cast<int>(ina::wire::kDefaultHash)),
                          InaMakeEnumAccessorOf<int>(&InaSystem::SetHash, &InaSystem::GetHash),
                          InaMakeEnumCheckerByIndex(ina::wire::kHashNames))
            .AddAttribute("Seed",
                          "Seed of random choices. AssignStreams() draws another one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&InaSystem::SetSeed, &InaSystem::GetSeed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("SeparatePasses",
                          "Whether programs run each pass of a packet as an event of its own, so "
                          "that other packets come in between.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&InaSystem::m_separatePasses),
                          MakeBooleanChecker());
    return tid;
}

int64_t
InaSystem::AssignStreams(int64_t stream)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    m_environment.seed = random->GetInteger(0, std::numeric_limits<uint32_t>::max() - 1);
    return 1;
}

void
InaSystem::SetEnvironment(const ina::cluster::Environment& environment)
{
    m_environment = environment;
}

const ina::cluster::Environment&
InaSystem::Environment() const
{
    return m_environment;
}

/// Checks the number of workers at a switch. A switch that only forwards has no bitmap.
void
InaSystem::RequireBits(const ina::cluster::System& system, uint16_t workers)
{
    if (system.traits().has_aggregators && workers > ina::wire::kMaxWorkersPerSwitch)
    {
        NS_ABORT_MSG(system.traits().name << ": found " << workers
                                          << " workers at a switch; allowed: at most "
                                          << ina::wire::kMaxWorkersPerSwitch);
    }
}

/// Checks the job's id and the paths of its workers. A path without fan-in means that no switch
/// adds the worker's frames, because wire::default_path() found the job too large for one switch.
void
InaSystem::RequireNames(const ina::cluster::System& system,
                        ina::JobId job,
                        std::span<const ina::wire::AggregationPath> paths)
{
    const ina::cluster::SystemTraits& traits = system.traits();
    if (job >= traits.job_ids)
    {
        NS_ABORT_MSG(traits.name << ": found job " << job << "; allowed: below " << traits.job_ids);
    }
    const bool isForwarded = std::ranges::any_of(paths,
                                                 [](const ina::wire::AggregationPath& path)
                                                 { return path.fan_in_degree0 == 0; });
    if (traits.has_aggregators && isForwarded)
    {
        NS_ABORT_MSG(traits.name << ": found more than " << ina::wire::kMaxWorkersPerSwitch
                                 << " workers at one switch; allowed: workers with the paths of "
                                    "ina::wire::aggregation_paths()");
    }
}

void
InaSystem::RequireMember(const ina::cluster::System& system, const ina::WorkerIdentity& identity)
{
    const ina::cluster::SystemTraits& traits = system.traits();
    NS_ABORT_MSG_UNLESS(identity.rank < identity.workers,
                        traits.name << ": found rank " << identity.rank << "; allowed: below "
                                    << identity.workers << ", the job's number of workers");
    NS_ABORT_MSG_IF(traits.has_servers && identity.servers.empty(),
                    traits.name << ": a worker has no parameter server: set "
                                   "WorkerIdentity::servers");
    NS_ABORT_MSG_IF(
        traits.sends_among_workers() && identity.members.size() != identity.workers,
        traits.name
            << ": found " << identity.members.size() << " members; allowed: " << identity.workers
            << ", the job's number of workers: set WorkerIdentity::members to the hosts of all "
               "workers, by rank");
}

void
InaSystem::SetAggregators(uint32_t aggregators)
{
    m_environment.aggregators = aggregators;
}

uint32_t
InaSystem::GetAggregators() const
{
    return m_environment.aggregators;
}

void
InaSystem::SetHash(int hash)
{
    m_environment.hash = static_cast<ina::wire::Hash>(hash);
}

int
InaSystem::GetHash() const
{
    return static_cast<int>(m_environment.hash);
}

void
InaSystem::SetSeed(uint64_t seed)
{
    m_environment.seed = seed;
}

uint64_t
InaSystem::GetSeed() const
{
    return m_environment.seed;
}

Ptr<InaSystem>
CreateInaSystem(const ina::systems::Settings& settings,
                ina::cluster::SystemId id,
                const ina::cluster::Environment& environment)
{
    return settings.with(id,
                         [&environment](const auto& ofSystem) -> Ptr<InaSystem>
                         {
                             using Settings = std::remove_cvref_t<decltype(ofSystem)>;
                             const auto system = CreateObject<InaSystemOf<Settings>>();
                             system->SetSettings(ofSystem);
                             system->SetEnvironment(environment);
                             return system;
                         });
}

} // namespace ns3
