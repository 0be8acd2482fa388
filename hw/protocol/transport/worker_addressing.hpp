// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"

namespace ina {

/// Maps fragments to aggregators by the job's scheme and the new indices in the server's results.
class WorkerAddressing {
 public:
  WorkerAddressing(JobId job, const wire::AddressingConfig& config);

  /// Aggregator index for the first transmission of a fragment, which is sent now.
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

  /// A new PSN must be less than this number above the oldest PSN that is not done. With a table,
  /// no two fragments in flight then share an entry or an aggregator, and each entry's results
  /// arrive in order.
  std::uint32_t range() const { return range_; }

  /// Call this for each result that arrives, whether for the first time or not.
  void result_came(const Frame& result) {
    if (scheme_ == wire::AddressingScheme::hash && result.has(flag::new_index)) remap(result);
  }

  /// Call this for the first result of each fragment. With a table, the result may name the index
  /// of the fragment's entry. An index beyond the aggregators is ignored. After the server
  /// restarts, two entries may share an index until it has named both.
  void delivered(const Frame& result) {
    if (!table_.empty() && result.has(flag::new_index) &&
        result.aggregator().next_index < aggregators_) {
      table_[entry_of(result.psn)] = result.aggregator().next_index;
    }
  }

 private:
  /// 32 bits, since a 64-bit division takes twice as long.
  std::uint32_t entry_of(Psn psn) const { return psn % range_; }
  void remap(const Frame& result);
  /// Follows the chain of remappings from `index` to its end.
  std::uint32_t remapped(std::uint32_t index) const;

  BOOST_DESCRIBE_CLASS(WorkerAddressing, (), (), (), (table_, remapped_))

  wire::AddressingScheme scheme_;
  std::uint32_t aggregators_;
  std::uint32_t range_ = std::numeric_limits<std::uint32_t>::max();
  wire::AggregatorHash hash_;
  std::vector<std::uint32_t> table_;     // for scheme `table`; otherwise empty
  std::vector<std::uint32_t> remapped_;  // for `hash`: new index by old index, or empty
};

}  // namespace ina
