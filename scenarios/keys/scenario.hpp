// SPDX-License-Identifier: BSD-3-Clause
// What a scenario file says, with every default filled in and every quantity in one unit. The names
// of the fields are the keys of the JSON file (without _ps and _bps: there the unit stands in the
// value); what they mean and may be says scenario_fields.hpp.
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
  /// A link's delay is within this of delay_ps, or within delay_ps if that is less. By default a
  /// metre of cable: those of a rack are 1 to 3 m long.
  std::int64_t delay_spread_ps{5'000};

  bool operator==(const LinkScenario&) const = default;
};

/// What one link has that others of its kind do not, or what several alike have.
struct OwnLinkScenario {
  std::string link{"all"};  ///< which, as in LinkFaultsScenario
  std::optional<std::uint64_t> rate_bps;
  std::optional<std::int64_t> delay_ps;  ///< without a spread
  std::optional<std::uint32_t> framing_bytes;

  bool operator==(const OwnLinkScenario&) const = default;
};

/// The time that packets take in hosts of a kind.
struct HostScenario {
  std::size_t preset{0};               ///< index in cluster::kHostPresets
  cluster::HostStage::Config stage{};  ///< the preset's, with what the scenario changes of it

  bool operator==(const HostScenario&) const = default;
};

/// Of a topology that is written out.
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
/// In the order of TopologyType.
inline constexpr std::array<std::string_view, 5> kTopologyTypeNames = {"star", "leaf_spine",
                                                                       "fat_tree", "rail", "graph"};
constexpr std::string_view name_of(TopologyType type) {
  return kTopologyTypeNames[static_cast<std::size_t>(type)];
}

/// In which order workers take the hosts.
enum class Placement {
  packed,  ///< rack by rack
  spread,  ///< one host of each rack in turn
};

/// Of which type it is, and the sizes of that (hw/cluster/topologies); those of other types stay at
/// their defaults.
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
  std::string servers_at;  ///< a switch; none: the last one with hosts
  Placement placement{Placement::packed};
  std::optional<cluster::RootChoice> root;  ///< none: by root_choice()
  LinkScenario link;
  /// Of a rack's switch to those above; cables between racks differ by some 20 m.
  LinkScenario uplink{.delay_spread_ps = 50'000};
  LinkScenario core{.delay_spread_ps = 50'000};  ///< above these
  std::vector<OwnLinkScenario> links;            ///< later ones win
  HostScenario host;                             ///< of workers
  HostScenario server;                           ///< of parameter servers

  bool operator==(const TopologyScenario&) const = default;
};

/// What the data-plane program has to fit.
enum class ChipLimit {
  none,  ///< any memory
  tofino1,
  tofino2,
};

struct SwitchScenario {
  /// For aggregators' values (248 B; SwitchML: a slot pair)
  std::uint64_t memory_bytes{5'000'000};
  /// Of what an aggregator is for, under ATP and DSA; computed by workers
  wire::Hash hash{wire::kDefaultHash};
  std::uint64_t buffer_bytes{16'000'000};     ///< shared by all egress queues; tail drop
  std::uint64_t ecn_threshold_bytes{60'000};  ///< egress queue length from which frames are marked
  std::int64_t pipeline_latency_ps{0};
  /// Of each further pass (resubmit, recirculate)
  std::int64_t pass_latency_ps{1'000 * std::int64_t{rmt::kTofino1.pass_latency_ns}};
  std::uint64_t resubmit_bandwidth_bps{std::uint64_t{1'000'000'000} * rmt::kTofino1.resubmit_gbps};
  bool charge_passes{false};  ///< also those that a frame's values take
  /// Of the ports of a pipe, all looped back
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
  /// Of each worker, by rank; without, the next that no job names
  std::optional<std::vector<std::uint32_t>> hosts;
  /// Where its parameter servers are, by the names of links ("ps1", "host3"); without, it has one
  /// on the parameter servers' host of the job's number
  std::vector<std::string> servers;
  std::uint32_t iterations{1};
  ModelProfile profile;
  TimeRange start;
  JitterScenario jitter;
  /// Larger is slower. Worker w, iteration i: [w % size][i % size of that]; empty: 1
  std::vector<std::vector<double>> compute_time_factors;

  bool operator==(const JobScenario&) const = default;
};

enum class Payload {
  values,  ///< every value is carried, added and checked
  digest,  ///< 64 bits of check per fragment
  none,
};

enum class Engine {
  fast,       ///< InaSimulatorImpl
  reference,  ///< ns3::DefaultSimulatorImpl, which the results of the fast one are held against
};

enum class FaultDirection {
  both,
  to_switch,
  from_switch,
};

/// Faults of one link, or of several alike.
struct LinkFaultsScenario : faults::LinkFaults::Config {
  /// "all", "hosts", "parameter_servers", "racks", or one: "host3", "ps0"
  std::string link{"all"};
  FaultDirection direction{FaultDirection::both};

  LinkFaultsScenario() = default;  // no aggregate: GCC 12 warns of its base otherwise
  bool operator==(const LinkFaultsScenario&) const = default;
};

/// No name of a link or a switch.
inline constexpr const char* kNone = "none";

/// What happens to a worker, a parameter server, a switch, a link or a job, and when.
struct NodeFaultScenario : faults::TimedNodeFault {
  std::string link{kNone};     ///< one, by its name
  std::string switch_{kNone};  ///< likewise; key "switch"; none of a reboot: the servers' one

  bool operator==(const NodeFaultScenario&) const = default;
};

struct FaultsScenario {
  std::vector<LinkFaultsScenario> links;
  std::vector<NodeFaultScenario> nodes;

  bool operator==(const FaultsScenario&) const = default;
};

struct OutputsScenario {
  std::int64_t switch_interval_ps{100'000'000};  ///< between the rows of switch.csv
  bool pcap{false};
  /// Of link_series.csv; nothing: it is not written
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
  systems::Settings systems;  ///< keys: the systems' names
  std::vector<JobScenario> jobs;
  Payload payload{Payload::values};
  Engine engine{Engine::fast};
  std::uint64_t seed{1};
  /// Simulated; a run that exceeds it fails. The reader fills it: time_limit()
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
  /// Of the system that is run; sizes that were not set stand in them after fill_in_sizes().
  const cluster::System& hosts() const { return systems.hosts(system); }
  const systems::SwitchHalf& switches() const { return systems.switches(system); }

  bool operator==(const Scenario&) const = default;
};

}  // namespace ina::scenarios
