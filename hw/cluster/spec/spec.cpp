// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/spec/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hw/cluster/spec/spec_fields.hpp"
#include "hw/cluster/spec/spec_topology.hpp"
#include "hw/cluster/systems/all.hpp"
#include "hw/fields/document.hpp"
#include "hw/protocol/wire/hash.hpp"

namespace ina::cluster {

namespace {

using fields::ObjectReader;
using fields::ObjectWriter;
using fields::PlainDocument;

constexpr auto kNames = fields::names_in_order<SystemId>(kSystemNames);
constexpr std::string_view kSystemHelp = "System that aggregates the gradients";

SystemId id_of(const Spec& spec) { return system_called(spec.system->traits().name); }

/// Counts the jobs before they are read, because a system's sizes depend on their number.
std::uint32_t count_jobs(ObjectReader& reader) {
  const fields::Json* const jobs = reader.find("jobs");
  const std::size_t count = jobs != nullptr && jobs->is_array() ? jobs->size() : 1;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(count, 1, wire::kMaxJobs));
}

void read_system(ObjectReader& reader, Spec& spec, const SettingsFields& settings,
                 const PlainDocument& file) {
  SystemId id{};
  reader.choice("system", id, kNames, kSystemHelp);
  ObjectReader of_settings(file, *reader.find_wanted("settings"), reader.pointer_of("settings"));
  const std::shared_ptr<System> system = settings.read(id, of_settings);
  spec.environment.jobs = count_jobs(reader);
  system->fill_in(spec.environment);
  spec.system = system;
}

void write_system(ObjectWriter& writer, const Spec& spec, const SettingsFields& settings) {
  writer.choice("system", id_of(spec), kNames, kSystemHelp);
  writer.object(
      "settings", [&](ObjectWriter& inner) { settings.write(*spec.system, inner); },
      "Settings of the system, as in a scenario");
}

std::vector<HostId> hosts_of(const Spec& spec, const JobSpec& job) {
  std::vector<HostId> hosts = job.workers;
  if (spec.has_servers()) hosts.insert(hosts.end(), job.servers.begin(), job.servers.end());
  return hosts;
}

/// Checks that each host has one worker or server. Returns all these hosts.
std::set<HostId> check_hosts(const Spec& spec, const PlainDocument& file) {
  std::set<HostId> hosts;
  for (const JobSpec& job : spec.jobs) {
    for (const HostId host : hosts_of(spec, job)) {
      if (hosts.insert(host).second) continue;
      file.fail(fields::pointer_to("/jobs", job.number),
                fmt::format("found host {} twice; allowed: one worker or server per host", host));
    }
  }
  return hosts;
}

void check_link(const LinkFaultsSpec& faults, const Spec& spec, const std::set<HostId>& hosts,
                const PlainDocument& file, const std::string& place) {
  if (faults.host.has_value() == faults.trunk.has_value()) {
    file.fail(place, "found both host and trunk, or neither; allowed: exactly one of the two");
  }
  if (faults.host && !hosts.contains(*faults.host)) {
    file.fail(place + "/host",
              fmt::format("found {}; allowed: the host of a worker or server", *faults.host));
  }
  if (faults.trunk && *faults.trunk >= spec.topology.trunks.size()) {
    file.fail(
        place + "/trunk",
        fmt::format("found {}; allowed: an index below {}, the number of links between switches",
                    *faults.trunk, spec.topology.trunks.size()));
  }
}

void check_node_fault(const faults::PlannedNodeFault& fault, const Spec& spec,
                      const PlainDocument& file, const std::string& place) {
  if (faults::strikes_server(fault.fault) && !spec.has_servers()) {
    file.fail(place + "/fault", fmt::format("found \"{}\"; allowed: a fault of a worker or a "
                                            "switch, since the system has no servers",
                                            faults::name_of(fault.fault)));
  }
}

/// Returns one possible root. All possible roots have the same number of branches.
SwitchIndex check_root(const JobSpec& job, const Spec& spec, const PlainDocument& file) {
  const std::vector<SwitchIndex> roots = spec.control().roots_of(spec.hosts(job));
  if (!roots.empty()) return roots.front();
  file.fail(fields::pointer_to("/jobs", job.number) + "/servers",
            why_no_root(spec.topology, job.number));
}

/// Checks the number of packets. A PSN has 32 bits and never restarts during a job.
void check_psns(const JobSpec& job, const PlainDocument& file) {
  constexpr auto kLimit = std::uint64_t{1} << 32;
  const std::uint64_t packets = job.training.partitions.fragments_per_iteration();
  if (packets <= (kLimit - 1) / job.training.iterations) return;
  file.fail(fields::pointer_to("/jobs", job.number) + "/iterations",
            fmt::format("found {} iterations of {} packets; allowed: fewer than {} packets per "
                        "worker in all iterations together",
                        job.training.iterations, packets, kLimit));
}

void check_job(const JobSpec& job, const Spec& spec, const PlainDocument& file) {
  check_psns(job, file);
  const Topology& topology = spec.topology;
  const std::string place = fields::pointer_to("/jobs", job.number);
  const SwitchIndex root = check_root(job, spec, file);
  const auto many = wire::find_too_many(spec.hosts(job).racks, root, spec.system->levels());
  if (!many) return;
  file.fail(place + "/workers",
            many->rack
                ? fmt::format("found {} workers at {}; allowed: at most {} (the bits of a bitmap)",
                              many->count, topology.switches[*many->rack].name,
                              wire::kMaxWorkersPerSwitch)
                : fmt::format("found {} branches at {}; allowed: at most {} (the bits of a bitmap)",
                              many->count, topology.switches[root].name, wire::kMaxBranches));
}

/// Checks the number of job ids. A job that is registered again gets another id, and no id is used
/// twice.
void check_job_ids(const Spec& spec, const PlainDocument& file) {
  const SystemTraits& traits = spec.system->traits();
  std::size_t ids = spec.jobs.size();
  for (const faults::PlannedNodeFault& fault : spec.node_faults) {
    if (fault.fault == faults::NodeFault::worker_returns) ++ids;
    const bool reboots = fault.fault == faults::NodeFault::switch_reboots;
    if (reboots && traits.loses_jobs_with_switch) ids += spec.jobs.size();
  }
  if (ids <= traits.job_ids) return;
  file.fail("/node_faults", fmt::format("found up to {} registrations of jobs; allowed: at most "
                                        "{}, the number of job ids in a packet of {}",
                                        ids, traits.job_ids, traits.title));
}

void check(const Spec& spec, const PlainDocument& file) {
  check_job_ids(spec, file);
  for (const JobSpec& job : spec.jobs) check_job(job, spec, file);
  const std::set<HostId> hosts = check_hosts(spec, file);
  for (std::size_t i = 0; i < spec.link_faults.size(); ++i) {
    check_link(spec.link_faults[i], spec, hosts, file, fields::pointer_to("/faults", i));
  }
  for (std::size_t i = 0; i < spec.node_faults.size(); ++i) {
    check_node_fault(spec.node_faults[i], spec, file, fields::pointer_to("/node_faults", i));
  }
}

/// A world without hosts and switches, used only for the decisions of a control plane.
class NoWorld final : public ControlWorld {
  void install_job(std::size_t, const Registration&) override {}
  void remove_job(std::size_t, const Registration&) override {}
  void take_switch_down(std::size_t) override {}
  void bring_switch_back(std::size_t) override {}
  void start_workers(const Registration&, Time) override {}
  void start_server(const Registration&, std::uint16_t, Time) override {}
  void stop(const JobHost&, Time) override {}
  void pause(const JobHost&, Time, Time) override {}
  void resume(const JobHost&, Time) override {}
  void expect(const JobHost&, Time) override {}
  void job_event(JobEvent, const JobHost&) override {}
};

}  // namespace

std::uint8_t Spec::system_number() const { return static_cast<std::uint8_t>(id_of(*this)); }

std::string Spec::name_of(HostId host) const {
  const std::size_t hosts = topology.switch_of.size() - parameter_servers;
  return host < hosts ? fmt::format("host{}", host) : fmt::format("ps{}", host - hosts);
}

JobHosts Spec::hosts(const JobSpec& job) const {
  JobHosts hosts{job.workers, {}, {}, {}};
  if (has_servers()) hosts.servers = wire::JobServers(job.servers);
  for (const HostId worker : job.workers) hosts.racks.push_back(topology.switch_of[worker]);
  for (const HostId server : hosts.servers.hosts()) {
    hosts.server_racks.push_back(topology.switch_of[server]);
  }
  return hosts;
}

Registration Spec::registration(const JobSpec& job, JobId id, SwitchIndex root_of_tree) const {
  Registration registration;
  registration.job = job.number;
  registration.id = id;
  registration.hosts = hosts(job);
  lay_out(registration, control(), root_of_tree);
  return registration;
}

Registration Spec::registration_for_hosts(const JobSpec& job) const {
  return registration(job, job.id, control().roots_of(hosts(job)).front());
}

std::vector<Registration> Spec::registrations() const {
  NoWorld world;
  ControlPlane plane(control(), world);
  std::vector<Registration> registrations;
  for (const JobSpec& job : jobs) {
    plane.add_job(hosts(job), job.training.iterations, Time::zero());
    registrations.push_back(plane.registration(job.number));
  }
  return registrations;
}

ControlPlane::Config Spec::control() const {
  return control_of(*system, topology, root, environment.seed,
                    static_cast<std::uint16_t>(jobs.size()));
}

/// Configuration of the control plane. Flows that no switch adds may use any path.
ControlPlane::Config control_of(const System& system, const Topology& topology, RootChoice root,
                                std::uint64_t seed, std::uint16_t jobs) {
  const SystemTraits& traits = system.traits();
  return {.topology = topology,
          .root = root,
          .path_choice = {.seed = seed, .by_flow = !traits.has_aggregators},
          .ids = JobIds(seed, jobs),
          .levels = system.levels(),
          .jobs_survive_reboots = !traits.loses_jobs_with_switch};
}

void number_jobs(Spec& spec) {
  const JobIds ids = spec.control().ids;
  for (std::size_t number = 0; number < spec.jobs.size(); ++number) {
    spec.jobs[number].number = static_cast<std::uint16_t>(number);
    spec.jobs[number].id = ids.at(number);
  }
}

void fill_in(Spec& spec) {
  number_jobs(spec);
  for (JobSpec& job : spec.jobs) {
    job.training.line_rates_bps = {spec.environment.line_rate_bps};
    job.training.priority_code = spec.system->priority_code();
  }
  for (faults::PlannedNodeFault& fault : spec.node_faults) {
    fault.rack = spec.topology.of_servers();
  }
}

namespace {

/// Checksum of the text of a JSON object, which has its keys in alphabetical order.
std::uint32_t checksum_of(const fields::Json& json) {
  const std::string text = json.dump();
  wire::Crc32 crc;
  crc.process_bytes(text.data(), text.size());
  return crc.checksum();
}

}  // namespace

Spec read_spec(const fields::Json& json, const std::string& name, const SettingsFields& settings) {
  const PlainDocument file(name);
  Spec spec;
  ObjectReader reader(file, json, "", fields::Absent::error);
  visit_spec(reader, spec, [&](ObjectReader& visitor, Spec& read) {
    read_system(visitor, read, settings, file);
  });
  reader.finish();
  check_topology(spec.topology, file);
  fill_in(spec);
  check(spec, file);
  spec.checksum = checksum_of(json);
  return spec;
}

fields::Json write_spec(const Spec& spec, const SettingsFields& settings) {
  ObjectWriter writer;
  visit_spec(writer, spec, [&](ObjectWriter& visitor, const Spec& written) {
    write_system(visitor, written, settings);
  });
  return std::move(writer.json);
}

}  // namespace ina::cluster
