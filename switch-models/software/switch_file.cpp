// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/switch_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "switch-models/software/neighbourhood.hpp"

namespace ina::software {

namespace {

using endpoints::Cluster;
using endpoints::Fields;
using programs::SwitchProgram;

/// In the order of Direction.
constexpr std::array<std::string_view, 2> kDirections = {"to_switch", "from_switch"};

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

systems::Settings read_settings(const Fields& file, const Cluster& cluster) {
  systems::Settings settings;
  settings.with(cluster.protocol(), [&](auto& system) {
    file.visit("settings", [&](fields::ObjectReader& reader) {
      system.visit(reader, system);
      reader.finish();
    });
    system.fill_in(cluster.environment);
  });
  return settings;
}

std::unique_ptr<SwitchProgram> make_program(const Cluster& cluster,
                                            const systems::SwitchHalf& system, unsigned part) {
  return system.make_program({.jobs = cluster.environment.jobs,
                              .carried_values = cluster.values_per_packet(),
                              .part = part});
}

SwitchParts read_switch(const Fields& file, const Cluster& cluster,
                        const systems::SwitchHalf& system, std::uint16_t rack,
                        const std::vector<Peer>& peers, unsigned parts) {
  const Neighbourhood around(cluster, system, rack, peers);
  const SharedLinks::Config config{file.object("switch").integer<std::uint64_t>("buffer_bytes", 1),
                                   cluster.environment.ecn_threshold_bytes};
  const auto links = std::make_shared<SharedLinks>(config, parts);
  SwitchParts made;
  for (unsigned part = 0; part < parts; ++part) {
    made.push_back(std::make_unique<SoftwareSwitch>(links, make_program(cluster, system, part)));
    around.add_ports(*made.back());
    around.install_jobs(*made.back());
  }
  file.each("faults", [&](const Fields& fault) { read_faults(fault, around, *links); });
  return made;
}

}  // namespace ina::software
