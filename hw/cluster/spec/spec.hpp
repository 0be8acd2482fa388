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

/// Version of the cluster files that this program writes. It refuses to read other versions.
inline constexpr int kClusterFileFormat = 9;

/// A job: the hosts of its workers, and their training.
struct JobSpec {
  std::uint16_t number = 0;  ///< index in the list of jobs
  JobId id = 0;              ///< id in packets, from the latest registration
  std::string profile;
  std::vector<HostId> workers;      ///< hosts of the workers, by rank
  std::vector<HostId> servers;      ///< hosts of the servers, by index; ignored without servers
  std::uint64_t gradient_seed = 0;  ///< base of seed_of_gradients()
  Time start{};
  std::uint64_t first_stream = 0;  ///< number of rank 0's random stream
  TrainingPlan training;

  /// Seed of the gradients under the present id. Each id has its own seed, so that a contribution
  /// left over from another registration makes a wrong sum.
  std::uint64_t seed_of_gradients() const { return gradient_seed - number + id; }

  bool operator==(const JobSpec&) const = default;
};

/// Faults of frames in one direction of a host's link or a trunk: either `host` or `trunk` is set.
/// For a trunk, `direction` is to or from the upper switch.
struct LinkFaultsSpec {
  std::optional<HostId> host;
  std::optional<TrunkIndex> trunk;
  faults::LinkDirection direction = faults::LinkDirection::to_switch;
  std::uint64_t seed = 0;
  faults::LinkFaults::Config faults;

  bool operator==(const LinkFaultsSpec&) const = default;
};

/// The part of a scenario that all simulated or real participants of a run must know: the content
/// of a cluster file (hw/README.md).
struct Spec {
  std::shared_ptr<const System> system;  ///< with its settings filled in
  Environment environment;
  std::uint64_t buffer_bytes = 16'000'000;  ///< per switch
  Topology topology = topology_of(Star{});
  std::uint32_t parameter_servers =
      0;  ///< number of hosts for servers, which are the last hosts of the topology
  RootChoice root = RootChoice::server_leaf;  ///< how every job's root is chosen
  std::vector<JobSpec> jobs;                  ///< by number
  std::vector<LinkFaultsSpec> link_faults;
  std::vector<faults::PlannedNodeFault> node_faults;  ///< times are from the start of the run
  /// Checksum of the cluster file, ignoring spaces and the order of keys; 0 if there is no file.
  std::uint32_t checksum = 0;

  wire::Format format() const { return system->traits().format; }
  /// SystemId in registration messages.
  std::uint8_t system_number() const;
  bool has_servers() const { return system->traits().has_servers; }
  std::uint32_t values_per_packet() const { return system->values_per_packet(); }
  /// Whether packets carry exponents (block floating point).
  bool in_blocks() const { return system->exponent_slots() != 0; }
  /// Name of a host and of its link, such as "host3" or "ps0".
  std::string name_of(HostId host) const;
  JobHosts hosts(const JobSpec& job) const;
  /// Registration of a job under an id for packets, with a root from control().roots_of().
  Registration registration(const JobSpec& job, JobId id, SwitchIndex root) const;
  /// Like registration(), but with any possible root, since hosts behave the same for all of them.
  Registration registration_for_hosts(const JobSpec& job) const;
  /// The first registration of every job, by number, as the control plane makes it.
  std::vector<Registration> registrations() const;
  ControlPlane::Config control() const;
};

/// Configuration of a control plane for jobs of a system. `seed` determines the jobs' ids, and the
/// paths of jobs and flows. `jobs`: number of jobs, from 1 to wire::kMaxJobs.
ControlPlane::Config control_of(const System& system, const Topology& topology, RootChoice root,
                                std::uint64_t seed, std::uint16_t jobs);

/// Numbers the jobs, and sets the ids that this spec's control plane will give to them.
void number_jobs(Spec& spec);
/// Sets the derived fields: the jobs' numbers and ids, the values of their training that depend on
/// the cluster, and the switch of each reboot.
void fill_in(Spec& spec);

/// Reads a cluster file. `file`: name of the file, for messages. Throws fields::InputError.
Spec read_spec(const fields::Json& json, const std::string& file, const SettingsFields& settings);
/// Content of a cluster file, from which read_spec() makes the same spec.
fields::Json write_spec(const Spec& spec, const SettingsFields& settings);

}  // namespace ina::cluster
