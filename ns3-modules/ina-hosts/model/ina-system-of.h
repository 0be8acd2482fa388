/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SYSTEM_OF_H
#define INA_SYSTEM_OF_H

#include "ina-system.h"

#include "switch-models/systems/all.hpp"

#include "ns3/ina-abort.h"
#include "ns3/ina-settings-attributes.h"

#include <span>
#include <string>

namespace ns3
{

/**
 * \ingroup ina-hosts
 * One of the systems in switch-models/systems/all.hpp, where its `Settings` are defined. It has an
 * attribute for each key that a scenario may set for this system, and its TypeId is "ns3::Ina" +
 * name + "System", such as ns3::InaDsaSystem.
 */
template <typename Settings>
class InaSystemOf : public InaSystem
{
  public:
    static TypeId
    GetTypeId()
    {
        static TypeId tid = InaAddAttributesOf<InaSystemOf, Settings>(
            TypeId("ns3::Ina" + InaAttributeNameOf(Settings::kTraits.name) + "System")
                .SetParent<InaSystem>()
                .SetGroupName("Ina")
                .template AddConstructor<InaSystemOf>());
        return tid;
    }

    ina::wire::Format
    GetFormat() const override
    {
        return Settings::kTraits.format;
    }

    bool
    SendsAmongWorkers() const override
    {
        return Settings::kTraits.sends_among_workers();
    }

    uint32_t
    GetValuesPerPacket() const override
    {
        return m_settings.values_per_packet();
    }

    uint32_t
    GetExponentSlots() const override
    {
        return FilledIn().exponent_slots();
    }

    std::unique_ptr<ina::programs::SwitchProgram>
    MakeProgram(uint32_t jobs, std::size_t carriedValues) const override
    {
        return InaAbortIfThrown(
            [&]()
            {
                return FilledIn().make_program(
                    {.jobs = jobs, .carried_values = carriedValues, .run = ProgramMode()});
            });
    }

    ina::programs::JobEntry
    MakeJobEntry(uint32_t number,
                 uint16_t workers,
                 const ina::wire::JobServers& servers) const override
    {
        const Settings settings = FilledIn();
        RequireBits(settings, workers);
        return InaAbortIfThrown([&]() { return settings.job_entry(number, workers, servers); });
    }

    std::unique_ptr<ina::WorkerTransport>
    MakeTransport(const ina::WorkerIdentity& identity,
                  ina::ValuePool& pool,
                  ina::ResultSink& sink) const override
    {
        const Settings settings = FilledIn();
        RequireMember(settings, identity);
        RequireNames(settings, identity.job, std::span(&identity.path, 1));
        return InaAbortIfThrown([&]() { return settings.make_worker(identity, pool, sink); });
    }

    std::unique_ptr<ina::ParameterServer>
    MakeServer(const ina::ServerIdentity& identity, ina::ValuePool& pool) const override
    {
        const Settings settings = FilledIn();
        RequireNames(settings, identity.job, identity.paths);
        return InaAbortIfThrown([&]() { return settings.make_server(identity, pool); });
    }

    /** Sets all settings directly, not one by one as attributes. */
    void
    SetSettings(const Settings& settings)
    {
        m_settings = settings;
    }

  private:
    friend class InaSettingsAccessor<InaSystemOf>;

    Settings
    FilledIn() const
    {
        Settings settings = m_settings;
        settings.fill_in(Environment());
        return settings;
    }

    Settings m_settings;
};

/** Creates the system `id`, with the settings that `settings` has for this system. */
Ptr<InaSystem> CreateInaSystem(const ina::systems::Settings& settings,
                               ina::cluster::SystemId id,
                               const ina::cluster::Environment& environment);

} // namespace ns3

#endif // INA_SYSTEM_OF_H
