// SPDX-License-Identifier: BSD-3-Clause
// The half of a system of in-network aggregation that runs on hosts, behind one interface: whoever
// makes workers and servers, or asks what a system can do, does so without knowing which it is.
// Each system has its file, and all.hpp lists them. The half on switches is in
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

/// A system, by its place in AllSystems (all.hpp).
enum class SystemId : std::uint8_t {};

/// What a system is and can do, whatever its settings.
struct SystemTraits {
  std::string_view name;   ///< in scenarios and tables
  std::string_view title;  ///< in prose
  std::string_view label;  ///< in figures
  /// Number in the palette of figures (analysis/kinds/style.py); none: a figure chooses.
  std::optional<std::uint8_t> colour;
  wire::Format format;    ///< of its packets
  bool has_servers;       ///< each job has one, or several
  bool has_aggregators;   ///< whether its switches add up
  bool has_own_slots;     ///< each job; else all jobs share the aggregators
  std::uint32_t job_ids;  ///< that its header tells apart
  bool has_reminders;     ///< that its servers send to switches, and workers ask for
  /// Whether a job cannot go on at a switch that has lost its registers, except under a fresh id.
  bool loses_jobs_with_switch;
  /// Whether a sum that does not fit an int32 wraps around; else it stays at a limit, INT32_MIN or
  /// INT32_MAX.
  bool wraps_around = false;
  /// Whether the roots of its jobs are chosen among all switches unless a scenario says otherwise;
  /// else they are at the servers' leaf.
  bool chooses_roots = false;
  /// Whether each result comes from a server; else only what the switches cannot add up.
  bool results_from_servers = false;

  /// Its workers add up, for nobody else does.
  bool sends_among_workers() const { return !has_servers && !has_aggregators; }
};

/// What the sizes of a system follow from, unless they are set. By default a star at 100 Gbps whose
/// links take 2.5 us, and a switch with 5 MB.
struct Environment {
  std::uint32_t jobs = 1;
  std::uint32_t aggregators = 20'161;  ///< that the memory of a switch holds
  wire::Hash hash = wire::kDefaultHash;
  std::uint64_t line_rate_bps = 100'000'000'000;
  /// A job's share of the slowest link on its sums' way to the root; at most `line_rate_bps`.
  std::uint64_t slowest_rate_bps = 100'000'000'000;
  std::uint32_t framing_bytes = 0;  ///< on the line, beside those of a frame
  /// From a worker, without queues, with the switch's further passes for an answer; with racks to
  /// the servers' switch.
  Time to_switch_and_back = std::chrono::microseconds(5);
  Time to_server_and_back = std::chrono::microseconds(10);
  std::uint64_t ecn_threshold_bytes = 60'000;  ///< of a queue at a switch
  std::uint64_t seed = 1;                      ///< of what draws

  /// So many frames are sent within a time on a line of the rate.
  double packets_within(Time time, std::uint64_t rate_bps, std::uint16_t frame_bytes) const;
  /// So many of the longest round trips of a frame that meets no others: its time on the links, and
  /// on the lines of two hosts. At least a microsecond each, at most the longest time-out there is.
  Time round_trips(std::int64_t count, std::uint16_t frame_bytes) const;
  /// The usual time-out, or three round trips if they are longer, which is what RFC 6298 (2.2)
  /// makes of the first one that it measures: a shorter one may expire although nothing is late.
  Time safe_timeout(Time usual, std::uint16_t frame_bytes) const {
    return std::max(usual, round_trips(3, frame_bytes));
  }
};

/// What processes can bear that share a machine, whatever a scenario says.
struct ProcessLimits {
  Time least_timeout{};
  std::uint32_t most_packets = 1;  ///< in flight, of a worker
  std::uint32_t workers = 1;       ///< of all jobs together

  /// A packet's way through processes that share few processors, at most.
  static constexpr Time kPacketTime = std::chrono::microseconds(50);
};

/// A lower limit of the time after which a host sends again, or asks for, what is missing.
struct TimeoutFloor {
  std::string_view key;  ///< of the system's settings
  Time time{};
  std::string_view adaptive = {};  ///< value of the key that follows the round trips, if any
};

/// A setting that another one contradicts.
struct InvalidSetting {
  std::string key;
  std::string message;  ///< what was found, and what is allowed
};

/// The settings of a system, and what it makes of them.
///
/// A system of its own has in addition, for ObjectReader and its kin (hw/fields):
///   template <class Visitor, class Self> static void visit(Visitor&, Self&);
/// which visits the keys that a scenario may have for it.
class System {
 public:
  virtual ~System() = default;
  virtual const SystemTraits& traits() const = 0;

  /// Sets what was not set. What other functions say holds from then on.
  virtual void fill_in(const Environment& environment) = 0;
  virtual std::optional<InvalidSetting> find_invalid() const { return std::nullopt; }
  /// Brings what has been filled in within the limits.
  virtual void limit(const ProcessLimits& limits) = 0;

  /// In a gradient packet.
  virtual std::uint32_t values_per_packet() const { return std::uint32_t{wire::kFragmentValues}; }
  /// Of a job, if exponents of block floating point go ahead of its values (exponent_lead_of()),
  /// else 0.
  virtual std::uint32_t exponent_slots() const { return 0; }
  /// Of a gradient packet.
  std::uint16_t frame_bytes() const {
    return ina::frame_bytes(traits().format, values_per_packet());
  }
  /// Packets that a worker may have in flight at first, and the key that says so.
  virtual std::uint32_t initial_window() const = 0;
  virtual std::string_view initial_window_key() const { return "initial_window_packets"; }
  /// By a server, for workers that lost them.
  virtual std::uint32_t kept_results() const { return 0; }
  /// The time-out of whoever asks for what is missing, before a round trip was measured.
  virtual Time first_timeout() const = 0;
  /// Servers' first, then workers'; at least one.
  virtual std::vector<TimeoutFloor> timeout_floors() const = 0;
  virtual PriorityCode priority_code() const { return {}; }
  virtual wire::Levels levels() const { return wire::Levels::two; }
  /// How many ways between hosts a fragment goes one after the other, if workers add up.
  virtual std::uint32_t steps(std::uint16_t /* workers */) const { return 0; }
  /// The share of fragments in which a value is not to fit an integer.
  virtual double overflow() const { return 0; }

  /// Pool and sink must outlive the worker.
  virtual std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                                       ValuePool& pool, ResultSink& sink) const = 0;
  /// Null if the system has none.
  virtual std::unique_ptr<ParameterServer> make_server(const ServerIdentity&, ValuePool&) const {
    return nullptr;
  }

  bool operator==(const System&) const = default;
};

}  // namespace ina::cluster
