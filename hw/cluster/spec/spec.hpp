// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/cluster/faults/link_faults.hpp"
#include "hw/cluster/faults/node_faults.hpp"
#include "hw/cluster/network/topology.hpp"
#include "hw/cluster/systems/settings_fields.hpp"
#include "hw/cluster/systems/system.hpp"
#include "hw/cluster/topologies/star.hpp"
#include "hw/cluster/training/training_worker.hpp"
#include "hw/fields/strict_json.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::cluster {

/// Of the cluster files that are written and read; another one is refused.
inline constexpr int kClusterFileFormat = 9;

/// A job: where its workers are, and what they train.
struct JobSpec {
  std::uint16_t number = 0;  ///< in the list of jobs
  JobId id = 0;              ///< in packets, of the latest registration
  std::string profile;
  std::vector<HostId> workers;      ///< their hosts, by rank
  std::vector<HostId> servers;      ///< theirs, by index; of a system without servers none counts
  std::uint64_t gradient_seed = 0;  ///< seed_of_gradients() has that of a registration
  Time start{};
  std::uint64_t first_stream = 0;  ///< of random numbers: rank 0's
  TrainingPlan training;

  /// Under each id others: a contribution that is left of another registration makes a wrong sum.
  std::uint64_t seed_of_gradients() const { return gradient_seed - number + id; }

  bool operator==(const JobSpec&) const = default;
};

/// What may happen to frames on one direction of a link: that of a host, or one between switches,
/// of which the upper one is the switch that `direction` means.
struct LinkFaultsSpec {
  std::optional<HostId> host;
  std::optional<TrunkIndex> trunk;
  faults::LinkDirection direction = faults::LinkDirection::to_switch;
  std::uint64_t seed = 0;
  faults::LinkFaults::Config faults;

  bool operator==(const LinkFaultsSpec&) const = default;
};

/// What a scenario means, for all that take part in a run of it: the content of a cluster file
/// (hw/README.md).
struct Spec {
  std::shared_ptr<const System> system;  ///< with its settings, which are filled in
  Environment environment;
  std::uint64_t buffer_bytes = 16'000'000;  ///< of each switch
  Topology topology = topology_of(Star{});
  std::uint32_t parameter_servers = 0;        ///< the last hosts of the topology: machines for them
  RootChoice root = RootChoice::server_leaf;  ///< of every job's tree
  std::vector<JobSpec> jobs;                  ///< by number
  std::vector<LinkFaultsSpec> link_faults;
  std::vector<faults::PlannedNodeFault> node_faults;  ///< by the clock of the run
  /// Checksum of the cluster file but for its spaces and the order of keys; 0: there is no file.
  std::uint32_t checksum = 0;

  wire::Format format() const { return system->traits().format; }
  /// In registration messages: its SystemId.
  std::uint8_t system_number() const;
  bool has_servers() const { return system->traits().has_servers; }
  std::uint32_t values_per_packet() const { return system->values_per_packet(); }
  /// Whether exponents of block floating point go ahead of the values.
  bool in_blocks() const { return system->exponent_slots() != 0; }
  /// As links are called by what hangs on them: "host3", "ps0".
  std::string name_of(HostId host) const;
  JobHosts hosts(const JobSpec& job) const;
  /// A job under an id that packets have, with its tree's root at one of the switches that
  /// control().roots_of() has.
  Registration registration(const JobSpec& job, JobId id, SwitchIndex root) const;
  /// For hosts, to which all roots that the job may have are the same.
  Registration registration_for_hosts(const JobSpec& job) const;
  /// All jobs, by number, as a control plane registers them when a run begins.
  std::vector<Registration> registrations() const;
  ControlPlane::Config control() const;
};

/// The configuration of a control plane for jobs of a system. `seed`: draws their ids, and the ways
/// of jobs and flows. `jobs`: from 1 to wire::kMaxJobs.
ControlPlane::Config control_of(const System& system, const Topology& topology, RootChoice root,
                                std::uint64_t seed, std::uint16_t jobs);

/// Numbers the jobs, and gives them the ids that the control plane of the rest has for them.
void number_jobs(Spec& spec);
/// Fills in what follows from the rest: the jobs' numbers and ids, what their training has from the
/// cluster, and the switch that reboots.
void fill_in(Spec& spec);

/// The content of a cluster file. `file`: its name, for messages. Throws fields::InputError.
Spec read_spec(const fields::Json& json, const std::string& file, const SettingsFields& settings);
/// read_spec() makes the same of it.
fields::Json write_spec(const Spec& spec, const SettingsFields& settings);

}  // namespace ina::cluster
