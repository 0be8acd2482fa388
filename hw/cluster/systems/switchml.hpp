// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/cluster/systems/quantisation.hpp"
#include "hw/cluster/systems/system.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "hw/protocol/units.hpp"

namespace ina::cluster {

/// SwitchML (NSDI '21): each job has its own pool of slots with shadow copies. Workers recover from
/// losses, and there are no parameter servers.
class Switchml : public System {
 public:
  static constexpr SystemTraits kTraits{.name = "switchml",
                                        .title = "SwitchML",
                                        .label = "SwitchML",
                                        .colour = 2,
                                        .format = wire::Format::switchml,
                                        .has_servers = false,
                                        .has_aggregators = true,
                                        .has_own_slots = true,
                                        .job_ids = wire::kMaxJobs,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = true,
                                        .wraps_around = true,
                                        .chooses_roots = true};

  std::uint32_t values = SwitchmlWorker::Config().values_per_packet;
  std::optional<std::uint32_t> slots;           ///< per job; empty: slots_that_fill()
  bool even_share = false;                      ///< share the memory equally if `slots` is empty
  std::optional<Time> rto;                      ///< fixed time-out; empty if adaptive
  bool adaptive_rto = false;                    ///< follows round trips, as in ATP
  Time min_rto = SwitchmlWorker::Config().rto;  ///< floor of an adaptive time-out
  Time first_rto{};                             ///< first time-out, fixed or adaptive
  bool congestion_control = false;              ///< ATP's congestion control
  Quantisation quantisation = Quantisation::fixed_point;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    visitor.one_of("values_per_packet", self.values, wire::kSwitchmlValues,
                   "Number of values in a packet: 32 as in the first version of the paper, 64 or "
                   "256 as in the NSDI version. 366 fill an MTU of 1500 bytes and 2240 one of 9000 "
                   "bytes, but fit no chip. The frames have 180, 308, 1076, 1516 or 9012 bytes");
    visitor.integer_or(
        "even_share", "slots", self.slots, self.even_share,
        fields::Bounds<std::uint32_t>{1, wire::kMaxSlots},
        "Number of slots of each job. even_share: an equal share of the switch memory for each "
        "job. Default: the number of packets that a worker can send until the first result is "
        "back, rounded up to a power of two, but at most even_share and at most what the slowest "
        "link on the path sends in half of rto");
    visitor.time_or("adaptive", "rto", self.rto, self.adaptive_rto, fields::kTimeout,
                    "Time after which a worker sends an unanswered packet again. The time doubles "
                    "at each further expiry. adaptive: the time follows the measured round trips, "
                    "as in ATP. Default: 1ms, or three unloaded round trips if these are longer");
    visitor.time("min_rto", self.min_rto, fields::kTimeout,
                 "Minimum time-out of a worker if rto is adaptive. The first time-out is also at "
                 "least three unloaded round trips");
    visitor.boolean("congestion_control", self.congestion_control,
                    "Whether a worker uses ATP's congestion window, of at most one packet per "
                    "slot, and sends a packet again after three results out of order");
    visitor.choice(
        "quantisation", self.quantisation, fields::names_in_order<Quantisation>(kQuantisationNames),
        "Method by which workers convert floats to integers. fixed_point: one scale for all "
        "values. block_floating_point: one scale per fragment, from the largest exponent of all "
        "workers' values in the fragment; earlier packets carry these exponents");
  }

  const SystemTraits& traits() const override { return kTraits; }
  void fill_in(const Environment& environment) override {
    fill_in_timeouts(environment);
    if (slots) return;
    const std::uint32_t share = environment.aggregators / std::max(environment.jobs, 1U);
    const std::uint32_t filling = even_share ? share : slots_that_fill(environment);
    slots = std::clamp<std::uint32_t>(std::min(share, filling), 1, wire::kMaxSlots);
    even_share = false;  // `slots` is set
  }

  /// The time-out must be longer than the time for the packets in flight of all workers.
  void limit(const ProcessLimits& limits) override {
    slots = std::min(*slots, limits.most_packets);
    const std::int64_t in_flight = std::int64_t{*slots} * limits.workers;
    const Time least = std::max(limits.least_timeout, in_flight * ProcessLimits::kPacketTime);
    first_rto = std::max(first_rto, least);
    if (adaptive_rto) {
      min_rto = std::max(min_rto, least);
    } else {
      rto = first_rto;
    }
  }

  std::uint32_t values_per_packet() const override { return values; }
  std::uint32_t exponent_slots() const override {
    return quantisation == Quantisation::block_floating_point ? *slots : 0;
  }
  std::uint32_t initial_window() const override {
    const std::uint32_t window = CongestionWindow::Config().initial_packets;
    return congestion_control ? std::min(window, *slots) : *slots;
  }
  std::string_view initial_window_key() const override { return "slots"; }
  Time first_timeout() const override { return first_rto; }
  std::vector<TimeoutFloor> timeout_floors() const override {
    if (adaptive_rto) return {{.key = "min_rto", .time = min_rto}};
    return {{.key = "rto", .time = first_rto, .adaptive = "adaptive"}};
  }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity, ValuePool& pool,
                                               ResultSink& sink) const override {
    SwitchmlWorker::Config config{*slots, values, adaptive_rto ? min_rto : first_rto, adaptive_rto};
    config.first_rto = first_rto;
    if (congestion_control) {
      config.congestion_control = {initial_window(), 0};  // the number of slots is the limit
    }
    return std::make_unique<SwitchmlWorker>(identity, config, pool, sink);
  }

  bool operator==(const Switchml&) const = default;

 private:
  void fill_in_timeouts(const Environment& environment) {
    if (adaptive_rto) {
      first_rto = environment.safe_timeout(min_rto, frame_bytes());
    } else {
      const Time usual = SwitchmlWorker::Config().rto;
      first_rto = rto.value_or(environment.safe_timeout(usual, frame_bytes()));
      rto = first_rto;
    }
  }

  /// SwitchML, section 3.6: the bandwidth-delay product in packets, rounded up to a power of two.
  /// The delay includes four transmissions: a packet and its result each cross two links. The slots
  /// are limited so that the slowest link carries all their packets within half of the time-out.
  std::uint32_t slots_that_fill(const Environment& environment) const {
    constexpr double kLines = 4;
    const double in_flight =
        kLines + environment.packets_within(environment.to_switch_and_back,
                                            environment.line_rate_bps, frame_bytes());
    const double drained =
        environment.packets_within(first_rto / 2, environment.slowest_rate_bps, frame_bytes());
    const auto filling = std::bit_ceil(
        static_cast<std::uint32_t>(std::min<double>(std::ceil(in_flight), wire::kMaxSlots)));
    return std::min(filling, static_cast<std::uint32_t>(std::min<double>(drained, filling)));
  }
};

}  // namespace ina::cluster
