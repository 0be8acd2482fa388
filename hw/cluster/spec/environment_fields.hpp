// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "hw/cluster/systems/system.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/fields/quantity.hpp"
#include "hw/protocol/wire/hash.hpp"

namespace ina::cluster {

/// Keys of an environment in a cluster file, for ObjectReader and similar classes. There is no key
/// for the number of jobs, which the file's list of jobs determines.
template <class Visitor, class Self>
void visit_environment(Visitor& visitor, Self& environment) {
  constexpr std::uint32_t kMostCells = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();
  visitor.integer("aggregators", environment.aggregators,
                  fields::Bounds<std::uint32_t>{1, kMostCells},
                  "That the memory of a switch holds");
  visitor.choice("hash", environment.hash, fields::names_in_order<wire::Hash>(wire::kHashNames),
                 "Of what an aggregator is for");
  visitor.rate("line_rate", environment.line_rate_bps,
               fields::Bounds<std::uint64_t>{1'000'000, fields::kMaxRateBps}, "Of a host's link");
  visitor.rate("slowest_rate", environment.slowest_rate_bps,
               fields::Bounds<std::uint64_t>{1, fields::kMaxRateBps},
               "A job's share of the slowest link on its sums' way to the root");
  visitor.integer("framing_bytes", environment.framing_bytes, fields::Bounds<std::uint32_t>{0, 256},
                  "On the line, beside those of a frame");
  visitor.time("to_switch_and_back", environment.to_switch_and_back, fields::kAnyTime,
               "From a worker, without queues");
  visitor.time("to_server_and_back", environment.to_server_and_back, fields::kAnyTime, "Likewise");
  visitor.bytes("ecn_threshold_bytes", environment.ecn_threshold_bytes,
                fields::Bounds<std::uint64_t>{1, fields::kMaxBytes},
                "Of a queue at a switch, from which frames are marked");
  visitor.integer("seed", environment.seed, fields::Bounds<std::uint64_t>{0, kAnySeed},
                  "Of what draws");
}

}  // namespace ina::cluster
