// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// The low 6 bits of a fragment's PSN determine the fragment's server. A switch therefore finds the
/// server in a table of this many entries per job, without a division.
inline constexpr std::uint32_t kPsnsDealt = 64;

inline constexpr std::size_t kMaxServers = kPsnsDealt;

/// The parameter servers of a job, and the fragments that each of them handles: a fragment's server
/// has index PSN % kPsnsDealt % (number of servers). Any window of fragments is thus spread over
/// all servers. Since workers send nearly in step, with longer ranges of PSNs per server all would
/// use the same server at a time, and wait for its link as if it were the only server.
class JobServers {
 public:
  /// A job without a server: switches or workers complete its sums.
  constexpr JobServers() { host_of_.fill(kAllWorkers); }
  /// One server with all fragments, or none for kAllWorkers, which is the address of no host.
  constexpr JobServers(HostId only) : count_(only == kAllWorkers ? 0 : 1) { host_of_.fill(only); }
  /// `hosts`: by index. Throws std::length_error unless there are 1 to kMaxServers.
  explicit JobServers(std::span<const HostId> hosts);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  /// `index` must be below count().
  HostId host(std::size_t index) const { return host_of_[index]; }
  std::span<const HostId> hosts() const { return {host_of_.data(), count_}; }

  /// The server of a fragment; kAllWorkers if the job has none.
  HostId of(Psn psn) const { return host_of_[psn & mask_]; }
  /// Index of the fragment's server. The job must have one.
  std::size_t index_of(Psn psn) const {
    const std::size_t dealt = psn & mask_;
    return dealt < count_ ? dealt : dealt % count_;
  }

  /// The first fragment from `psn` on that belongs to server `index`. Requires several servers.
  Psn next_of(std::size_t index, Psn psn) const {
    const std::size_t dealt = psn & mask_;
    const std::size_t next = dealt + (index + count_ - index_of(psn)) % count_;
    if (next < kPsnsDealt) return psn + static_cast<Psn>(next - dealt);
    return (psn | mask_) + 1 + static_cast<Psn>(index);
  }

  friend bool operator==(const JobServers&, const JobServers&) = default;

 private:
  std::uint8_t count_ = 0;
  std::uint8_t mask_ = 0;  // 0 for one server, whose fragments all use the first entry
  std::array<HostId, kPsnsDealt> host_of_;
};

}  // namespace ina::wire
