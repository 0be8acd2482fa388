// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "hw/cluster/systems/window.hpp"
#include "hw/protocol/wire/addressing.hpp"

namespace ina::cluster {

/// Base class of ATP and DSA, where all jobs share the aggregators.
template <class Worker>
class HashedSystem : public WindowedSystem<Worker> {
 public:
  using WindowedSystem<Worker>::worker;
  /// Entries of a job's table. Default: twice the number of packets that may be in flight, so that
  /// later fragments need not wait while a lost fragment is sent again.
  std::optional<std::uint32_t> table_entries;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    visitor.integer("values_per_packet", self.worker.values_per_packet,
                    fields::Bounds<std::uint32_t>{1, wire::kMostFragmentValues},
                    "Number of values in a packet. Headers add 58 bytes to the frame. The P4 "
                    "programs and Tofino have 62. An MTU of 1500 bytes has room for 364 values, "
                    "and one of 9000 bytes for 2239");
    WindowedSystem<Worker>::visit(visitor, self);
    visitor.choice("addressing", self.worker.addressing.scheme,
                   fields::names_in_order<wire::AddressingScheme>(wire::kAddressingNames),
                   "Method that assigns aggregators to the fragments of a job. table: a table of "
                   "distinct aggregators, used in turn. hash: a hash of job and sequence number. "
                   "linear: the sequence number modulo the number of aggregators");
    visitor.integer(
        "table_entries", self.table_entries, fields::Bounds<std::uint32_t>{1, kMaxWindow},
        "Number of entries of a job's table if addressing is table. A worker has at most this many "
        "fragments in flight. Default: twice the maximum number of packets in flight");
  }

  std::uint32_t values_per_packet() const override { return worker.values_per_packet; }

  void fill_in(const Environment& environment) override {
    WindowedSystem<Worker>::fill_in(environment);
    worker.addressing.aggregators = environment.aggregators;
    worker.addressing.hash = environment.hash;
    const std::uint32_t most =
        worker.window.enabled ? worker.window.max_packets : worker.window.initial_packets;
    const std::uint32_t window = most != 0 ? most : this->network_holds(environment);
    worker.addressing.table_entries = table_entries.value_or(std::min(2 * window, kMaxWindow));
    table_entries = worker.addressing.table_entries;
  }

  bool operator==(const HashedSystem&) const = default;
};

}  // namespace ina::cluster
