// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/fields/bounds.hpp"
#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/time.hpp"

namespace ina::cluster {

/// Bounds of HostStage::Config. With the longest times and no spread, a core handles packets of
/// 1500 B at 4.8 Mbps. The time for any gradient therefore fits 64 bits of picoseconds.
inline constexpr fields::Bounds<std::int64_t> kHostPacketTime{0, 1'000'000'000};
inline constexpr fields::Bounds<std::int64_t> kHostByteTime{0, 1'000'000};
inline constexpr fields::Bounds<std::uint32_t> kHostCores{1, 64};
inline constexpr fields::Bounds<std::uint32_t> kHostQueue{1, 1'000'000};
inline constexpr fields::Bounds<std::uint32_t> kHeaderBytes{0, 1000};

/// A host's processing of packets in one direction. Its cores take packets from one queue. A packet
/// takes `per_packet + per_byte x (bytes - header_bytes)`. The other direction has its own cores.
class HostStage {
 public:
  struct Config {
    Time per_packet{};
    Time per_byte{};
    std::uint32_t header_bytes = 0;
    double spread = 0;
    double host_spread = 0;
    std::uint32_t cores = 1;
    std::uint32_t queue = 4096;
    bool reorder = false;

    bool operator==(const Config&) const = default;

    /// Whether the host needs any time to process packets.
    bool is_on() const { return per_packet != Time{} || per_byte != Time{}; }
    /// Time of a packet without the random factors of a spread.
    Time time_of(std::uint32_t bytes) const {
      return per_packet + per_byte * (bytes - std::min(bytes, header_bytes));
    }

    /// Keys of a scenario, and ns-3's attributes.
    template <class Visitor, class Self>
    static void visit(Visitor& visitor, Self& self) {
      visitor.time("per_packet", self.per_packet, kHostPacketTime,
                   "Time that a core needs for each packet, in each direction");
      visitor.time("per_byte", self.per_byte, kHostByteTime,
                   "Time that a core needs for each byte of a packet, in each direction");
      visitor.integer("header_bytes", self.header_bytes, kHeaderBytes,
                      "Number of bytes of each packet to which per_byte does not apply");
      visitor.probability("spread", self.spread,
                          "Random spread of packet times: the time of each packet is multiplied by "
                          "a factor drawn uniformly from 1 - spread to 1 + spread");
      visitor.probability("host_spread", self.host_spread,
                          "Random spread between hosts: all times of a host are multiplied by one "
                          "factor, drawn uniformly from 1 - host_spread to 1 + host_spread");
      visitor.integer("cores", self.cores, kHostCores,
                      "Number of cores per direction. Each core handles one packet at a time");
      visitor.integer(
          "queue", self.queue, kHostQueue,
          "Maximum number of received packets that wait for a core. A packet that finds the queue "
          "full is lost. Packets that the host sends wait in a queue without limit");
      visitor.boolean(
          "reorder", self.reorder,
          "Whether received packets leave the cores as soon as they are done. false: they leave in "
          "the order of arrival. Packets that the host sends always keep their order");
    }
  };

  enum class Direction : std::uint8_t { send, receive };

  /// Both directions of a host share one `host_seed`.
  HostStage(const Config& config, std::uint64_t host_seed, Direction direction);

  /// Returns the time at which a packet of `bytes` that arrives at `now` leaves its core. Packets
  /// leave in the order of arrival, unless reorders(). `now` must not decrease.
  Time send(std::uint32_t bytes, Time now) { return handle(bytes, std::max(now, idle_at())); }
  /// Like send(), but drops the packet and returns kNever if the queue is full.
  Time receive(std::uint32_t bytes, Time now) {
    while (!begins_.empty() && begins_.front() <= now) begins_.pop_front();
    if (begins_.size() == config_.queue) return kNever;
    const Time begin = std::max(now, idle_at());
    if (begin > now) begins_.emplace_back(begin);
    return handle(bytes, begin);
  }

  /// Time at which a core is free for the next packet.
  Time idle_at() const { return idle_at_; }
  /// Whether packets may overtake each other.
  bool reorders() const { return reorders_; }

 private:
  Time handle(std::uint32_t bytes, Time begin) {
    const Time done = begin + (draws_ ? draw_time(bytes) : config_.time_of(bytes));
    if (!others_idle_at_.empty()) return handled_by_one_of_several(done);
    idle_at_ = done;
    return done;
  }

  Time handled_by_one_of_several(Time done);
  Time draw_time(std::uint32_t bytes);

  Time idle_at_{};  // time at which the next core is idle
  std::vector<Time> others_idle_at_;
  Config config_;
  bool reorders_;
  bool draws_;                     // whether times have a spread
  double factor_;                  // scales this host's times
  std::uint64_t seed_;             // of this direction's random numbers
  std::uint64_t next_number_ = 0;  // number of times drawn so far; unused without a spread
  Time last_done_{};
  GrowingRing<Time> begins_;  // start times of the waiting packets, in order
};

/// Costs per packet. No paper prints them.
struct HostPreset {
  std::string_view name;
  HostStage::Config config;
};

/// atp-e1-...: derived from ATP (NSDI 2021): the server saturates at 60 Gbps (5.4, citing E.1),
/// packets of half the size have 1.3 times less throughput (E.1). Packets have 306 B with 248 B of
/// values (3.6); the smaller ones are taken to be SwitchML's 180 B with 128 B (4). The rate counts
/// either whole packets (wire) or their values without 58 B of headers (payload). switchml: an
/// assumption, 40 Gbps of packets of 180 B, that is 144 ns per packet on each of four cores.
inline constexpr HostPreset kHostPresets[] = {
    {"none", {}},
    {"atp-e1-wire", {.per_packet = Time(17'500), .per_byte = Time(76)}},
    {"atp-e1-payload", {.per_packet = Time(10'600), .per_byte = Time(91), .header_bytes = 58}},
    {"switchml", {.per_packet = Time(144'000), .cores = 4}},
};

}  // namespace ina::cluster
