// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "hw/cluster/systems/system.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/fields/quantity.hpp"
#include "hw/protocol/wire/hash.hpp"

namespace ina::cluster {

/// Visits the keys of an environment in a cluster file, for visitors such as ObjectReader. There is
/// no key for the number of jobs, because the file lists the jobs.
template <class Visitor, class Self>
void visit_environment(Visitor& visitor, Self& environment) {
  constexpr std::uint32_t kMostCells = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();
  visitor.integer("aggregators", environment.aggregators,
                  fields::Bounds<std::uint32_t>{1, kMostCells},
                  "Number of aggregators that the memory of a switch holds");
  visitor.choice("hash", environment.hash, fields::names_in_order<wire::Hash>(wire::kHashNames),
                 "Hash that gives a fragment its aggregator");
  visitor.rate("line_rate", environment.line_rate_bps,
               fields::Bounds<std::uint64_t>{1'000'000, fields::kMaxRateBps},
               "Rate of a host's link");
  visitor.rate("slowest_rate", environment.slowest_rate_bps,
               fields::Bounds<std::uint64_t>{1, fields::kMaxRateBps},
               "A job's share of the slowest link on its sums' path to the root");
  visitor.integer("framing_bytes", environment.framing_bytes, fields::Bounds<std::uint32_t>{0, 256},
                  "Bytes on the line in addition to those of a frame");
  visitor.time("to_switch_and_back", environment.to_switch_and_back, fields::kAnyTime,
               "Round-trip time from a worker to its switch, without queues");
  visitor.time("to_server_and_back", environment.to_server_and_back, fields::kAnyTime,
               "Round-trip time from a worker to its parameter server, without queues");
  visitor.bytes("ecn_threshold_bytes", environment.ecn_threshold_bytes,
                fields::Bounds<std::uint64_t>{1, fields::kMaxBytes},
                "Length of a switch's queue above which frames are marked");
  visitor.integer("seed", environment.seed, fields::Bounds<std::uint64_t>{0, kAnySeed},
                  "Seed of the random draws");
}

}  // namespace ina::cluster
