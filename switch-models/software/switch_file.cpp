// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/switch_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "hw/dpdk/endpoints/fields.hpp"
#include "switch-models/policies/always_preempt.hpp"
#include "switch-models/policies/coin_flip.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"

namespace ina::software {

namespace {

using endpoints::Cluster;
using endpoints::Fields;
using policies::CollisionPolicy;
using programs::SwitchProgram;

/// In the order of CollisionPolicy.
constexpr std::array<std::string_view, 4> kPolicies = {"fcfs", "priority", "always-preempt",
                                                       "coin-flip"};
/// In the order of SoftwareSwitch::Direction.
constexpr std::array<std::string_view, 2> kDirections = {"to_switch", "from_switch"};

Time time_at(const Fields& fields, std::string_view key) {
  return Time(fields.integer<std::int64_t>(key, 0));
}

std::unique_ptr<SwitchProgram> make_dsa(const Cluster& cluster, const Fields& fields) {
  const Time expiry = time_at(fields, "aggregator_expiry_ps");
  const auto make = [&](auto policy) -> std::unique_ptr<SwitchProgram> {
    return std::make_unique<programs::DsaProgram<decltype(policy)>>(
        cluster.aggregators, cluster.values_per_packet, policy, expiry);
  };
  switch (static_cast<CollisionPolicy>(fields.choice("policy", kPolicies))) {
    case CollisionPolicy::fcfs:
      return make(policies::Fcfs{});
    case CollisionPolicy::always_preempt:
      return make(policies::AlwaysPreempt{});
    case CollisionPolicy::coin_flip:
      return make(policies::CoinFlip(fields.integer<std::uint64_t>("policy_seed")));
    case CollisionPolicy::priority:
      break;
  }
  return make(policies::Priority{});
}

std::unique_ptr<SwitchProgram> make_program(const Cluster& cluster, const Fields& fields) {
  switch (cluster.protocol) {
    case wire::Protocol::switchml:
      return std::make_unique<programs::SwitchmlProgram<>>(cluster.aggregators,
                                                           cluster.values_per_packet);
    case wire::Protocol::atp:
      return std::make_unique<programs::AtpProgram<>>(programs::AtpProgram<>::Config{
          cluster.aggregators, cluster.values_per_packet, time_at(fields, "aggregator_expiry_ps")});
    case wire::Protocol::dsa:
      break;
  }
  return make_dsa(cluster, fields);
}

void install_jobs(const Cluster& cluster, SoftwareSwitch& software_switch) {
  const bool has_servers = cluster.protocol != wire::Protocol::switchml;
  for (std::size_t id = 0; id < cluster.jobs.size(); ++id) {
    const endpoints::Job& job = cluster.jobs[id];
    const programs::JobEntry entry{static_cast<std::uint16_t>(job.workers.size()), job.server,
                                   job.first_slot, job.slots};
    software_switch.install_job(static_cast<JobId>(id), entry, job.workers,
                                has_servers ? job.server : programs::MemberTable::kNobody);
  }
}

void read_faults(const Fields& fault, const std::vector<HostId>& hosts,
                 SoftwareSwitch& software_switch) {
  const auto host = fault.integer<HostId>("host");
  if (std::ranges::find(hosts, host) == hosts.end()) fault.refuse("host", "a host with a port");
  faults::LinkFaults::Config config;
  config.classes = fault.integer<faults::FrameClasses>("frames", 1, faults::kEveryFrameClass);
  config.from = time_at(fault, "from_ps");
  config.until = time_at(fault, "until_ps");
  config.loss = fault.probability("loss");
  config.burst_start = fault.probability("burst_start");
  config.burst_end = fault.probability("burst_end");
  config.burst_loss = fault.probability("burst_loss");
  config.corruption = fault.probability("corruption");
  config.duplication = fault.probability("duplication");
  config.reordering = fault.probability("reordering");
  config.reordering_delay = time_at(fault, "reordering_delay_ps");
  const auto direction =
      static_cast<SoftwareSwitch::Direction>(fault.choice("direction", kDirections));
  software_switch.add_faults(host, direction, config, fault.integer<std::uint64_t>("seed"));
}

std::unique_ptr<SoftwareSwitch> read_switch(const Fields& file, const Cluster& cluster,
                                            const std::vector<HostId>& hosts) {
  const Fields fields = file.object("switch");
  const SoftwareSwitch::Config config{fields.integer<std::uint64_t>("buffer_bytes", 1),
                                      fields.integer<std::uint64_t>("ecn_threshold_bytes", 1)};
  auto software_switch = std::make_unique<SoftwareSwitch>(config, make_program(cluster, fields));
  for (const HostId host : hosts) software_switch->add_port(host);
  install_jobs(cluster, *software_switch);
  file.each("faults", [&](const Fields& fault) { read_faults(fault, hosts, *software_switch); });
  return software_switch;
}

}  // namespace

std::unique_ptr<SoftwareSwitch> read_switch(const std::string& path, const Cluster& cluster,
                                            const std::vector<HostId>& hosts) {
  const nlohmann::json json = endpoints::read_json(path);
  try {
    return read_switch(Fields(json, ""), cluster, hosts);
  } catch (const endpoints::InputError& error) {
    throw endpoints::InputError(path + ": " + error.what());
  }
}

}  // namespace ina::software
