// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/system_list.hpp"

#include <boost/describe.hpp>

#include "switch-models/systems/all.hpp"

namespace ina::results {

fields::Json system_list() {
  fields::Json list = fields::Json::array();
  systems::for_each_system([&](cluster::SystemId system) {
    const cluster::SystemTraits& traits = cluster::traits_of(system);
    list.push_back({{"name", traits.name},
                    {"title", traits.title},
                    {"label", traits.label},
                    {"colour", traits.colour ? fields::Json(*traits.colour) : fields::Json()},
                    {"format", boost::describe::enum_to_string(traits.format, "")},
                    {"has_servers", traits.has_servers},
                    {"has_aggregators", traits.has_aggregators}});
  });
  return list;
}

}  // namespace ina::results
