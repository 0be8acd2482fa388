// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/cluster_parts.hpp"

#include "hw/cluster/systems/all.hpp"
#include "hw/protocol/wire/codec.hpp"

namespace ina::testing {

namespace {

// Settings show which features a system has, so that these functions need not name systems.

/// Settings of a system whose jobs each have their own pool of slots.
template <class System>
void set_slots(const ClusterShape& shape, System& system) {
  if constexpr (requires { system.slots; }) {
    system.slots = shape.aggregators;
    system.values = shape.switchml_values;
    system.min_rto = shape.min_rto;
    system.adaptive_rto = shape.adaptive_rto;
    if (!shape.adaptive_rto) system.rto = shape.min_rto;
    system.congestion_control = shape.congestion_control;
  }
}

template <class System>
void set_window(const ClusterShape& shape, System& system) {
  if constexpr (requires { system.worker.window; }) {
    system.worker.window = shape.window;
    system.max_window_packets = shape.window.max_packets;
    system.worker.min_rto = shape.min_rto;
  }
}

template <class System>
void set_addressing(const ClusterShape& shape, System& system) {
  if constexpr (requires { system.worker.addressing; }) {
    auto& addressing = system.worker.addressing;
    addressing.scheme = shape.addressing.scheme;
    addressing.rehash = addressing.rehash && shape.addressing.rehash;
    system.table_entries = shape.addressing.table_entries;
  }
}

template <class System>
void set_what_is_kept(const ClusterShape& shape, System& system) {
  if constexpr (requires { system.worker.receive_buffer; }) {
    system.worker.receive_buffer = shape.kept_results;
  }
  if constexpr (requires { system.server; }) system.server.kept_results = shape.kept_results;
  if constexpr (requires { system.reminder_min_timeout; }) {
    system.reminder_min_timeout = shape.min_rto;
  }
}

template <class System>
void set_racks(const ClusterShape& shape, System& system) {
  if constexpr (requires { system.rack_levels; }) {
    system.rack_levels = shape.levels == wire::Levels::one ? 1 : 2;
  }
}

template <class System>
void set_program(const ClusterShape& shape, System& system) {
  if constexpr (requires { system.aggregator_expiry; }) {
    system.aggregator_expiry = shape.aggregator_expiry;
  }
  if constexpr (requires { system.program.policy; }) {
    system.program.policy = shape.policy;
    system.program.join_priority = shape.join_priority;
    system.program.answered_by = shape.answered_by;
  }
}

}  // namespace

bool shares_aggregators(SystemId system) {
  const cluster::SystemTraits& traits = cluster::traits_of(system);
  return traits.has_aggregators && !traits.has_own_slots;
}

bool has_collision_policy(SystemId system) {
  return systems::Settings().with(system, [](const auto& settings) {
    return requires { settings.program.policy; };
  });
}

bool has_block_floating_point(SystemId system) {
  return systems::Settings().with(system, [](const auto& settings) {
    return requires { settings.quantisation; };
  });
}

bool collects_floats(SystemId system) {
  return (wire::known_flags(cluster::traits_of(system).format) & flag::floats) != 0;
}

bool has_trees(SystemId system) {
  return systems::Settings().hosts(system).levels() == wire::Levels::tree;
}

systems::Settings ClusterShape::settings() const {
  systems::Settings settings;
  settings.with(system, [this](auto& own) {
    set_slots(*this, own);
    set_window(*this, own);
    set_addressing(*this, own);
    set_what_is_kept(*this, own);
    set_racks(*this, own);
    set_program(*this, own);
  });
  cluster::Environment environment;
  environment.jobs = jobs;
  environment.aggregators = aggregators;
  environment.hash = addressing.hash;
  environment.seed = policy_seed;
  settings.hosts(system).fill_in(environment);
  return settings;
}

std::unique_ptr<WorkerTransport> make_worker(const ClusterShape& shape,
                                             const WorkerIdentity& identity, ValuePool& pool,
                                             ResultSink& sink) {
  return shape.settings().hosts(shape.system).make_worker(identity, pool, sink);
}

std::unique_ptr<ParameterServer> make_server(const ClusterShape& shape,
                                             const ServerIdentity& identity, ValuePool& pool) {
  return shape.settings().hosts(shape.system).make_server(identity, pool);
}

std::unique_ptr<programs::SwitchProgram> make_program(const ClusterShape& shape) {
  return shape.settings()
      .switches(shape.system)
      .make_program({.jobs = shape.jobs,
                     .carried_values = shape.width,
                     .run = {.checked = true, .separate_passes = shape.separate_passes}});
}

programs::JobEntry job_entry(const ClusterShape& shape, std::uint16_t workers,
                             const wire::JobServers& servers, std::uint32_t number) {
  return shape.settings().switches(shape.system).job_entry(number, workers, servers);
}

node::JobMembers members_in_star(const ClusterShape& shape, const std::vector<HostId>& workers,
                                 HostId server) {
  const bool has_server = cluster::traits_of(shape.system).has_servers;
  return {workers, has_server ? server : programs::MemberTable::kNoHost,
          wire::one_level(workers.size()), workers};
}

}  // namespace ina::testing
