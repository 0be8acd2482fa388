// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"

namespace ina {

/// A worker's aggregators, by the scheme of its job, and what the server's results say of them.
class WorkerAddressing {
 public:
  WorkerAddressing(JobId job, const wire::AddressingConfig& config);

  /// Of a fragment that is sent for the first time now.
  std::uint32_t index(Psn psn) {
    switch (scheme_) {
      case wire::AddressingScheme::table:
        return table_[entry_of(psn)];
      case wire::AddressingScheme::hash: {
        const std::uint32_t index = hash_.index(psn);
        return remapped_.empty() ? index : remapped(index);
      }
      case wire::AddressingScheme::linear:
        break;
    }
    return psn % aggregators_;
  }

  /// How far behind the oldest fragment that is not done a fragment may be sent, exclusive: in a
  /// table no two have one entry then, nor one aggregator, and results come in the entry's order.
  std::uint32_t range() const { return range_; }

  /// A result came, for the first time or not.
  void result_came(const Frame& result) {
    if (scheme_ == wire::AddressingScheme::hash && result.has(flag::new_index)) remap(result);
  }

  /// A result was delivered, hence the first of its fragment. In a table it may name the index of
  /// the fragment's entry; one of no aggregator is ignored. That another entry has the same index
  /// is possible if the server restarted, until it has named that one too.
  void delivered(const Frame& result) {
    if (!table_.empty() && result.has(flag::new_index) &&
        result.aggregator().next_index < aggregators_) {
      table_[entry_of(result.psn)] = result.aggregator().next_index;
    }
  }

 private:
  /// In 32 bits: a division of 64 takes twice the time.
  std::uint32_t entry_of(Psn psn) const { return psn % range_; }
  void remap(const Frame& result);
  /// Where some index was remapped.
  std::uint32_t remapped(std::uint32_t index) const;

  BOOST_DESCRIBE_CLASS(WorkerAddressing, (), (), (), (table_, remapped_))

  wire::AddressingScheme scheme_;
  std::uint32_t aggregators_;
  std::uint32_t range_ = std::numeric_limits<std::uint32_t>::max();
  wire::AggregatorHash hash_;
  std::vector<std::uint32_t> table_;     // empty: another scheme
  std::vector<std::uint32_t> remapped_;  // hash: next index by the one that collided; may be empty
};

}  // namespace ina
