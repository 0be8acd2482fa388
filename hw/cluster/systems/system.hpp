// SPDX-License-Identifier: BSD-3-Clause
// Interface of the host-side half of a system such as ATP. Programs use it to create workers and
// servers and to query a system's properties, without knowing which system it is. Each system has
// its own file, and all.hpp lists the systems. The switch-side half of a system is in
// switch-models/systems.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/priority_estimates.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/hash.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::cluster {

/// Index of a system in AllSystems (all.hpp).
enum class SystemId : std::uint8_t {};

/// Properties of a system that do not depend on its settings.
struct SystemTraits {
  std::string_view name;   ///< in scenarios and tables
  std::string_view title;  ///< in prose
  std::string_view label;  ///< in figures
  /// Index in the palette of figures (analysis/kinds/style.py); if empty, the figure chooses.
  std::optional<std::uint8_t> colour;
  wire::Format format;    ///< packet format
  bool has_servers;       ///< each job has one or several servers
  bool has_aggregators;   ///< its switches add gradients
  bool has_own_slots;     ///< each job has its own slots; otherwise all jobs share the aggregators
  std::uint32_t job_ids;  ///< number of jobs that the packet header distinguishes
  bool has_reminders;     ///< its servers send reminders to switches, some at a worker's request
  /// Whether a job needs a new id to continue after a switch has lost its registers.
  bool loses_jobs_with_switch;
  /// Whether a sum beyond the range of int32 wraps around. If false, it saturates at INT32_MIN or
  /// INT32_MAX.
  bool wraps_around = false;
  /// Whether a job's root is by default chosen among all switches. If false, the default root is
  /// the servers' leaf.
  bool chooses_roots = false;
  /// Whether every result comes from a server. If false, servers send only the results that the
  /// switches cannot complete.
  bool results_from_servers = false;

  /// Whether its workers exchange data directly with each other and add it themselves.
  bool sends_among_workers() const { return !has_servers && !has_aggregators; }
};

/// Properties of the cluster that determine the defaults of a system's settings. The values here
/// are of a star with 100 Gbps and 2.5 us per link, and 5 MB of aggregators in the switch.
struct Environment {
  std::uint32_t jobs = 1;
  std::uint32_t aggregators = 20'161;  ///< number that the memory of a switch holds
  wire::Hash hash = wire::kDefaultHash;
  std::uint64_t line_rate_bps = 100'000'000'000;
  /// A job's share of the slowest link on the path of its sums to the root; at most
  /// `line_rate_bps`.
  std::uint64_t slowest_rate_bps = 100'000'000'000;
  std::uint32_t framing_bytes = 0;  ///< overhead of a frame on the line, beyond its own bytes
  /// Round trip from a worker to the switch that completes its job's sums (the root) and back,
  /// without queueing. Includes the further passes that the switch needs to answer.
  Time to_switch_and_back = std::chrono::microseconds(5);
  Time to_server_and_back = std::chrono::microseconds(10);
  std::uint64_t ecn_threshold_bytes = 60'000;  ///< queue length from which a switch marks frames
  std::uint64_t seed = 1;                      ///< seed of random draws

  /// Number of frames that a line of this rate sends within `time`.
  double packets_within(Time time, std::uint64_t rate_bps, std::uint16_t frame_bytes) const;
  /// `count` times the longest unloaded round trip of a frame. It includes the links' delay and the
  /// transmissions at the two hosts. At least a microsecond per round trip, and in total at most
  /// the longest time-out that a setting may have (fields::kTimeout).
  Time round_trips(std::int64_t count, std::uint16_t frame_bytes) const;
  /// `usual`, or three round trips if these are longer. RFC 6298 (2.2) also starts with three round
  /// trips. A shorter time-out could expire although no frame is late.
  Time safe_timeout(Time usual, std::uint16_t frame_bytes) const {
    return std::max(usual, round_trips(3, frame_bytes));
  }
};

/// Limits of settings for processes that share a machine. They do not depend on the scenario.
struct ProcessLimits {
  Time least_timeout{};
  std::uint32_t most_packets = 1;  ///< maximum in flight per worker
  std::uint32_t workers = 1;       ///< total of all jobs

  /// Assumed maximum time per packet in processes that share a few processors.
  static constexpr Time kPacketTime = std::chrono::microseconds(50);
};

/// Lower bound (floor) of the time-out after which a host retransmits or asks for missing data.
struct TimeoutFloor {
  std::string_view key;  ///< key in the system's settings
  Time time{};
  std::string_view adaptive =
      {};  ///< value of the key that makes the time-out follow round trips, if there is one
};

/// A setting that contradicts another one.
struct InvalidSetting {
  std::string key;
  std::string message;  ///< what was found, and what is allowed
};

/// Settings of a system, and factory of its workers and servers.
///
/// Each concrete system also has the function
///   template <class Visitor, class Self> static void visit(Visitor&, Self&);
/// which passes the keys of its settings to a visitor, such as ObjectReader (hw/fields).
class System {
 public:
  virtual ~System() = default;
  virtual const SystemTraits& traits() const = 0;

  /// Sets all settings that are still unset. Call this before the functions below.
  virtual void fill_in(const Environment& environment) = 0;
  virtual std::optional<InvalidSetting> find_invalid() const { return std::nullopt; }
  /// Adjusts the settings to the limits. Call this after fill_in().
  virtual void limit(const ProcessLimits& limits) = 0;

  /// Number of values in a gradient packet.
  virtual std::uint32_t values_per_packet() const { return std::uint32_t{wire::kFragmentValues}; }
  /// SwitchML with block floating point: number of slots per job, for exponent_lead_of(). 0 in all
  /// other cases.
  virtual std::uint32_t exponent_slots() const { return 0; }
  /// Size of a gradient packet's frame.
  std::uint16_t frame_bytes() const {
    return ina::frame_bytes(traits().format, values_per_packet());
  }
  /// Initial window of a worker in packets. initial_window_key() is the setting's key.
  virtual std::uint32_t initial_window() const = 0;
  virtual std::string_view initial_window_key() const { return "initial_window_packets"; }
  /// Number of results that a server keeps for workers that lost them.
  virtual std::uint32_t kept_results() const { return 0; }
  /// Longest initial time-out of a worker or server, used until a round trip has been measured.
  virtual Time first_timeout() const = 0;
  /// Floors of the time-outs, at least one: first those of servers, then those of workers.
  virtual std::vector<TimeoutFloor> timeout_floors() const = 0;
  virtual PriorityCode priority_code() const { return {}; }
  virtual wire::Levels levels() const { return wire::Levels::two; }
  /// If workers add: number of sequential transmissions that a fragment's result requires.
  virtual std::uint32_t steps(std::uint16_t /* workers */) const { return 0; }
  /// Share of fragments for which workers generate a value beyond the range of int32.
  virtual double overflow() const { return 0; }

  /// `pool` and `sink` must outlive the worker.
  virtual std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                                       ValuePool& pool, ResultSink& sink) const = 0;
  /// Returns null if the system has no servers.
  virtual std::unique_ptr<ParameterServer> make_server(const ServerIdentity&, ValuePool&) const {
    return nullptr;
  }

  bool operator==(const System&) const = default;
};

}  // namespace ina::cluster
