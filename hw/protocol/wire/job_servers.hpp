// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// PSNs go to the servers of a job by ranges of so many: a range is a part of a worker's window, so
/// that it reaches all servers, and long enough that what one server sends stays together.
inline constexpr std::uint32_t kPsnsOfARange = 64;

/// So many ranges are dealt out to the servers in turn, and then the first one again: what has a
/// fragment stands in 6 bits of its PSN, and a switch needs a table of so many entries a job.
inline constexpr std::uint32_t kRangesDealt = 64;

inline constexpr std::size_t kMaxServers = kRangesDealt;

/// The parameter servers of a job, and which of them has a fragment: server
/// (PSN / kPsnsOfARange % kRangesDealt) % servers. Everyone computes the same: workers, servers and
/// switches. It is a table without a division, of which one server uses the first entry.
class JobServers {
 public:
  /// None: the job's sums meet at switches.
  constexpr JobServers() { host_of_.fill(kEveryWorker); }
  /// One, which has all fragments; kEveryWorker, which is nobody's address: none.
  constexpr JobServers(HostId only) : count_(only == kEveryWorker ? 0 : 1) { host_of_.fill(only); }
  /// 1 to kMaxServers, by their indices. `psns_of_a_range`: a power of two; another one than
  /// kPsnsOfARange is for tests with few PSNs.
  explicit JobServers(std::span<const HostId> hosts, std::uint32_t psns_of_a_range = kPsnsOfARange);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  /// `index`: below count().
  HostId host(std::size_t index) const { return host_of_[index]; }

  std::span<const HostId> hosts() const { return {host_of_.data(), count_}; }

  /// The server of a fragment; kEveryWorker if there is none.
  HostId of(Psn psn) const { return host_of_[range(psn)]; }
  /// Its index, if there is one.
  std::size_t index_of(Psn psn) const {
    const std::size_t dealt = range(psn);
    return dealt < count_ ? dealt : dealt % count_;
  }

  /// The first fragment from `psn` on that the server `index` has.
  Psn next_of(std::size_t index, Psn psn) const {
    while (index_of(psn) != index) psn = ((psn >> shift_) + 1) << shift_;
    return psn;
  }

  friend bool operator==(const JobServers&, const JobServers&) = default;

 private:
  std::uint32_t range(Psn psn) const { return psn >> shift_ & mask_; }

  std::uint8_t count_ = 0;
  std::uint8_t shift_ = 0;
  std::uint8_t mask_ = 0;  // one server has all ranges
  std::array<HostId, kRangesDealt> host_of_;
};

}  // namespace ina::wire
