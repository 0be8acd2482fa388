// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/switch_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "switch-models/programs/make_program.hpp"
#include "switch-models/software/neighbourhood.hpp"

namespace ina::software {

namespace {

using endpoints::Cluster;
using endpoints::Fields;
using programs::SwitchProgram;

/// In the order of Direction.
constexpr std::array<std::string_view, 2> kDirections = {"to_switch", "from_switch"};

policies::CollisionPolicy read_policy(const Fields& fields) {
  policies::CollisionPolicy policy =
      policies::every_policy()[fields.choice("name", policies::policy_names())];
  policies::for_each_parameter(
      policy, [&](const policies::Parameter& parameter, std::int64_t& value) {
        value = fields.integer(policies::key_of(parameter), parameter.low, parameter.high);
      });
  return policy;
}

/// Each part draws for itself.
programs::DsaConfig read_dsa(const Cluster& cluster, const Fields& fields, unsigned part) {
  return {.aggregators = cluster.addressing.aggregators,
          .width = cluster.values_per_packet,
          .policy = read_policy(fields.object("policy")),
          .policy_seed = fields.integer<std::uint64_t>("policy_seed") + part,
          .aggregator_expiry = fields.time("aggregator_expiry_ps"),
          .join_priority = static_cast<programs::JoinPriority>(
              fields.choice("join_priority", programs::kJoinPriorityNames))};
}

std::unique_ptr<SwitchProgram> make_program(const Cluster& cluster, const Fields& fields,
                                            unsigned part) {
  switch (cluster.protocol) {
    case wire::Protocol::switchml:
      return programs::make_switchml(cluster.addressing.aggregators, cluster.values_per_packet,
                                     cluster.window.enabled);
    case wire::Protocol::atp:
      return programs::make_atp({cluster.addressing.aggregators, cluster.values_per_packet,
                                 fields.time("aggregator_expiry_ps")});
    default:
      break;
  }
  return programs::make_dsa(read_dsa(cluster, fields, part));
}

void read_faults(const Fields& fault, const Neighbourhood& around, SharedLinks& links) {
  const std::optional<PortIndex> port = around.port_struck(fault);
  if (!port) return;
  faults::LinkFaults::Config config;
  config.classes = fault.integer<faults::FrameClasses>("frames", 1, faults::kEveryFrameClass);
  config.from = fault.time("from_ps");
  config.until = fault.time("until_ps");
  config.lost_frames = fault.numbers("lost_frames");
  config.loss = fault.probability("loss");
  config.burst_start = fault.probability("burst_start");
  config.burst_end = fault.probability("burst_end");
  config.burst_loss = fault.probability("burst_loss");
  config.corruption = fault.probability("corruption");
  config.duplication = fault.probability("duplication");
  config.reordering = fault.probability("reordering");
  config.reordering_delay = fault.time("reordering_delay_ps");
  const auto direction = static_cast<Direction>(fault.choice("direction", kDirections));
  links.add_faults(*port, direction, config, fault.integer<std::uint64_t>("seed"));
}

}  // namespace

std::unique_ptr<SwitchProgram> read_program(const Fields& file, const Cluster& cluster,
                                            unsigned part) {
  return make_program(cluster, file.object("switch"), part);
}

SwitchParts read_switch(const Fields& file, const Cluster& cluster, std::uint16_t rack,
                        const std::vector<Peer>& peers, unsigned parts) {
  const Neighbourhood around(cluster, rack, peers);
  const Fields fields = file.object("switch");
  const SharedLinks::Config config{fields.integer<std::uint64_t>("buffer_bytes", 1),
                                   fields.integer<std::uint64_t>("ecn_threshold_bytes", 1)};
  const auto links = std::make_shared<SharedLinks>(config, parts);
  SwitchParts made;
  for (unsigned part = 0; part < parts; ++part) {
    made.push_back(std::make_unique<SoftwareSwitch>(links, make_program(cluster, fields, part)));
    around.add_ports(*made.back());
    around.install_jobs(*made.back());
  }
  file.each("faults", [&](const Fields& fault) { read_faults(fault, around, *links); });
  return made;
}

}  // namespace ina::software
