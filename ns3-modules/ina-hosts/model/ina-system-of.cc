/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-system-of.h"

#include <boost/mp11.hpp>

#include <type_traits>

namespace ns3
{

namespace
{

/// What NS_OBJECT_ENSURE_REGISTERED does, for each of the list.
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

Ptr<InaSystem>
CreateInaSystem(const ina::systems::Settings& settings,
                ina::wire::Protocol protocol,
                const ina::cluster::Environment& environment)
{
    return settings.with(protocol,
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
