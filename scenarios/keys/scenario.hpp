// SPDX-License-Identifier: BSD-3-Clause
// The content of a scenario file, with every default filled in and a fixed unit for each kind of
// quantity. A field has the name of its JSON key, plus _ps or _bps: values in JSON have their units
// with them. scenario_fields.hpp states the meaning and the allowed values of each key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/cluster/faults/link_faults.hpp"
#include "hw/cluster/faults/node_faults.hpp"
#include "hw/cluster/network/host_stage.hpp"
#include "hw/cluster/network/root_choice.hpp"
#include "hw/cluster/training/jitter_per.hpp"
#include "hw/cluster/training/model_profile.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/protocol/wire/hash.hpp"
#include "scenarios/keys/traffic_scenario.hpp"
#include "switch-models/rmt/chip.hpp"
#include "switch-models/systems/all.hpp"

namespace ina::scenarios {

using namespace fields;

struct LinkScenario {
  std::uint64_t rate_bps{100'000'000'000};
  std::int64_t delay_ps{2'500'000};
  std::uint32_t framing_bytes{0};  ///< preamble, FCS and gap; counted in time, not in frame sizes
  /// The delay of each link is random, within delay_ps plus or minus this, but not negative. The
  /// default is one metre of cable: cables within a rack are 1 to 3 m long.
  std::int64_t delay_spread_ps{5'000};

  bool operator==(const LinkScenario&) const = default;
};

/// Values that make one link, or several, differ from other links of the same kind.
struct OwnLinkScenario {
  std::string link{"all"};  ///< name or pattern, as in LinkFaultsScenario
  std::optional<std::uint64_t> rate_bps;
  std::optional<std::int64_t> delay_ps;  ///< replaces delay and spread
  std::optional<std::uint32_t> framing_bytes;

  bool operator==(const OwnLinkScenario&) const = default;
};

/// Packet processing time of one kind of host.
struct HostScenario {
  std::size_t preset{0};               ///< index in cluster::kHostPresets
  cluster::HostStage::Config stage{};  ///< the preset's, with the scenario's changes

  bool operator==(const HostScenario&) const = default;
};

/// A switch of a topology of type graph.
struct SwitchPlaceScenario {
  std::string name;
  std::uint32_t hosts{0};

  bool operator==(const SwitchPlaceScenario&) const = default;
};
struct TrunkScenario {
  std::string from;
  std::string to;

  bool operator==(const TrunkScenario&) const = default;
};

enum class TopologyType {
  star,
  leaf_spine,
  fat_tree,
  rail,
  graph,
};
/// Indexed by TopologyType.
inline constexpr std::array<std::string_view, 5> kTopologyTypeNames = {"star", "leaf_spine",
                                                                       "fat_tree", "rail", "graph"};
constexpr std::string_view name_of(TopologyType type) {
  return kTopologyTypeNames[static_cast<std::size_t>(type)];
}

/// Order in which workers take hosts.
enum class Placement {
  packed,  ///< rack by rack
  spread,  ///< one host of each rack in turn
};

/// Type and sizes of the topology (hw/cluster/topologies). Sizes of other types keep their
/// defaults.
struct TopologyScenario {
  TopologyType type{TopologyType::star};
  std::uint32_t hosts{64};
  std::uint32_t parameter_servers{8};
  std::uint32_t racks{1};
  std::uint32_t hosts_per_rack{16};
  std::uint32_t spines{2};
  std::uint32_t k{4};
  std::uint32_t rails{4};
  std::vector<SwitchPlaceScenario> switches;
  std::vector<TrunkScenario> trunks;
  std::string servers_at;  ///< name of a switch; empty: the last switch with hosts
  Placement placement{Placement::packed};
  std::optional<cluster::RootChoice> root;  ///< nothing: root_choice() decides
  LinkScenario link;
  /// Links from a rack's switch upwards. Cable lengths between racks differ by about 20 m.
  LinkScenario uplink{.delay_spread_ps = 50'000};
  LinkScenario core{.delay_spread_ps = 50'000};  ///< links above the uplinks
  std::vector<OwnLinkScenario> links;            ///< if several match a link, the last one wins
  HostScenario host;                             ///< hosts of workers
  HostScenario server;                           ///< hosts of parameter servers

  bool operator==(const TopologyScenario&) const = default;
};

/// Chip that the data-plane program must fit.
enum class ChipLimit {
  none,  ///< no limit
  tofino1,
  tofino2,
};

/// Cost of the further passes of a packet through a switch.
enum class Passes {
  free,      ///< none, except where DSA swaps
  charged,   ///< time and bandwidth; all passes of a packet access the registers at once
  separate,  ///< time and bandwidth; other packets come between the passes of a packet
};

struct SwitchScenario {
  /// Memory for the values of aggregators (248 B each; SwitchML: a pair of slots)
  std::uint64_t memory_bytes{5'000'000};
  /// Hash by which workers select the aggregator of a task (ATP, DSA)
  wire::Hash hash{wire::kDefaultHash};
  std::uint64_t buffer_bytes{16'000'000};     ///< shared by all egress queues; tail drop
  std::uint64_t ecn_threshold_bytes{60'000};  ///< egress queue length above which frames are marked
  std::int64_t pipeline_latency_ps{0};
  /// Latency of each further pass (resubmit, recirculate)
  std::int64_t pass_latency_ps{1'000 * std::int64_t{rmt::kTofino1.pass_latency_ns}};
  std::uint64_t resubmit_bandwidth_bps{std::uint64_t{1'000'000'000} * rmt::kTofino1.resubmit_gbps};
  Passes passes{Passes::free};
  /// Rate of one pipe's ports, all looped back
  std::uint64_t recirculate_bandwidth_bps{100'000'000'000 *
                                          (rmt::kTofino1.ports / rmt::kTofino1.pipes)};
  ChipLimit chip{ChipLimit::none};

  bool operator==(const SwitchScenario&) const = default;
};

using System = cluster::SystemId;
using cluster::system_called;

using cluster::JitterPer;
using cluster::LayerProfile;
using cluster::ModelProfile;
using cluster::partition_count;

struct JitterScenario {
  TimeRange range;
  JitterPer per{JitterPer::partition};

  bool operator==(const JitterScenario&) const = default;
};

/// One job; the index in Scenario::jobs is its number.
struct JobScenario {
  std::uint32_t workers{8};
  /// Host of each worker, by rank. Empty: the next hosts that no job names.
  std::optional<std::vector<std::uint32_t>> hosts;
  /// Hosts of the job's parameter servers, by their links ("ps1", "host3"). Empty: one server, on
  /// the parameter-server host that has the number of the job.
  std::vector<std::string> servers;
  std::uint32_t iterations{1};
  ModelProfile profile;
  TimeRange start;
  JitterScenario jitter;
  /// Worker w has the factor [w % size][i % size of that row] in iteration i. Empty: all are 1.
  std::vector<std::vector<double>> compute_time_factors;

  bool operator==(const JobScenario&) const = default;
};

enum class Payload {
  values,  ///< every value is carried, added and checked
  digest,  ///< a 64-bit check per fragment
  none,
};

enum class Engine {
  fast,       ///< InaSimulatorImpl
  reference,  ///< ns3::DefaultSimulatorImpl, the reference for the results of the fast engine
};

enum class FaultDirection {
  both,
  to_switch,
  from_switch,
};

/// Faults of one link, or of several alike.
struct LinkFaultsScenario : faults::LinkFaults::Config {
  /// "all", "hosts", "parameter_servers", "racks", or one link, such as "host3" or "ps0"
  std::string link{"all"};
  FaultDirection direction{FaultDirection::both};

  LinkFaultsScenario() = default;  // not an aggregate: GCC 12 would warn about its base
  bool operator==(const LinkFaultsScenario&) const = default;
};

/// Not the name of any link or switch.
inline constexpr const char* kNone = "none";

/// A timed fault of a worker, a parameter server, a switch, a link or a job.
struct NodeFaultScenario : faults::TimedNodeFault {
  std::string link{kNone};  ///< name of one link
  /// Name of one switch (key "switch"). kNone for a reboot: the servers' switch.
  std::string switch_{kNone};

  bool operator==(const NodeFaultScenario&) const = default;
};

struct FaultsScenario {
  std::vector<LinkFaultsScenario> links;
  std::vector<NodeFaultScenario> nodes;

  bool operator==(const FaultsScenario&) const = default;
};

struct OutputsScenario {
  std::int64_t switch_interval_ps{100'000'000};  ///< between two rows of switch.csv
  bool pcap{false};
  /// Interval of link_series.csv; nothing: the table is not written
  std::optional<std::int64_t> link_interval_ps;
  bool occupation{false};  ///< whether occupation.csv is written

  bool operator==(const OutputsScenario&) const = default;
};

struct Scenario {
  std::string name;
  std::string description;
  System system{system_called("dsa")};
  TopologyScenario topology;
  SwitchScenario switch_;     ///< key "switch"
  systems::Settings systems;  ///< keyed by the names of the systems
  std::vector<JobScenario> jobs;
  Payload payload{Payload::values};
  Engine engine{Engine::fast};
  std::uint64_t seed{1};
  /// Maximum simulated time; a longer run fails. The reader always sets it, by time_limit().
  std::optional<std::int64_t> time_limit_ps;
  FaultsScenario faults;
  TrafficScenario traffic;
  OutputsScenario outputs;

  template <class OfSystem>
  OfSystem& of() {
    return systems.of<OfSystem>();
  }
  template <class OfSystem>
  const OfSystem& of() const {
    return systems.of<OfSystem>();
  }
  /// Host-side half of the selected system. with_sizes() sets the sizes that the scenario omits.
  const cluster::System& hosts() const { return systems.hosts(system); }
  const systems::SwitchHalf& switches() const { return systems.switches(system); }

  bool operator==(const Scenario&) const = default;
};

}  // namespace ina::scenarios
