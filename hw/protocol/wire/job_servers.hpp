// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// What has a fragment stands in the low 6 bits of its PSN: a switch needs a table of so many
/// entries a job, and no division.
inline constexpr std::uint32_t kPsnsDealt = 64;

inline constexpr std::size_t kMaxServers = kPsnsDealt;

/// The parameter servers of a job, and which of them has a fragment: server
/// PSN % kPsnsDealt % servers, for all alike, workers, servers and switches. So every window
/// reaches all servers, and at any time: were longer ranges of PSNs dealt out, then workers, which
/// send alike, would be at the same server at the same time, and wait for its link as if there was
/// one.
class JobServers {
 public:
  /// None: the job's sums meet at switches.
  constexpr JobServers() { host_of_.fill(kAllWorkers); }
  /// One, which has all fragments; kAllWorkers, which is nobody's address: none.
  constexpr JobServers(HostId only) : count_(only == kAllWorkers ? 0 : 1) { host_of_.fill(only); }
  /// 1 to kMaxServers, by their indices. Throws std::length_error.
  explicit JobServers(std::span<const HostId> hosts);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  /// `index`: below count().
  HostId host(std::size_t index) const { return host_of_[index]; }
  std::span<const HostId> hosts() const { return {host_of_.data(), count_}; }

  /// The server of a fragment; kAllWorkers if there is none.
  HostId of(Psn psn) const { return host_of_[psn & mask_]; }
  /// Its index, if there is one.
  std::size_t index_of(Psn psn) const {
    const std::size_t dealt = psn & mask_;
    return dealt < count_ ? dealt : dealt % count_;
  }

  /// The first fragment from `psn` on that the server `index` of several has.
  Psn next_of(std::size_t index, Psn psn) const {
    const std::size_t dealt = psn & mask_;
    const std::size_t next = dealt + (index + count_ - index_of(psn)) % count_;
    if (next < kPsnsDealt) return psn + static_cast<Psn>(next - dealt);
    return (psn | mask_) + 1 + static_cast<Psn>(index);
  }

  friend bool operator==(const JobServers&, const JobServers&) = default;

 private:
  std::uint8_t count_ = 0;
  std::uint8_t mask_ = 0;  // one server has all fragments, by the first entry
  std::array<HostId, kPsnsDealt> host_of_;
};

}  // namespace ina::wire
