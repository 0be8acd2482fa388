// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace ina {

/// Who does what in a ring all-reduce (Patarasuk and Yuan, JPDC 2009). A tensor is cut into as many
/// chunks as there are workers. Chunk c begins at worker c and goes round from each to the next
/// one, which adds its own part; the worker before c, n - 1 steps later, has the sum
/// (reduce-scatter). From there it goes round again for n - 1 steps, so that everyone gets it
/// (all-gather).
class RingSchedule {
 public:
  RingSchedule(std::uint16_t rank, std::uint16_t workers) : rank_(rank), workers_(workers) {}

  std::uint16_t previous() const { return rank_ == 0 ? last() : before(rank_); }
  std::uint16_t next() const { return rank_ == last() ? std::uint16_t{0} : after(rank_); }

  /// Of a tensor, by their places in it.
  struct Fragments {
    std::uint32_t begin;
    std::uint32_t end;
  };
  /// Chunks are of equal sizes, the first ones of one fragment more.
  Fragments own_chunk(std::uint32_t fragments) const {
    return {begin_of(rank_, fragments), begin_of(rank_ + 1U, fragments)};
  }

  /// How many have added their part of that fragment of a tensor before it comes here: 0 if it
  /// begins here.
  std::uint32_t added_before(std::uint32_t fragment, std::uint32_t fragments) const {
    const std::uint32_t chunk = chunk_of(fragment, fragments);
    return rank_ >= chunk ? rank_ - chunk : rank_ + workers_ - chunk;
  }
  /// Of a sum that has the parts of so many others when it comes: this worker completes it.
  bool completes(std::uint32_t added_before) const { return added_before + 1 == workers_; }
  /// The next worker has completed it.
  bool ends(std::uint32_t added_before) const { return added_before + 2 == workers_; }

 private:
  std::uint16_t last() const { return static_cast<std::uint16_t>(workers_ - 1); }
  static std::uint16_t before(std::uint16_t rank) { return static_cast<std::uint16_t>(rank - 1); }
  static std::uint16_t after(std::uint16_t rank) { return static_cast<std::uint16_t>(rank + 1); }
  std::uint32_t begin_of(std::uint32_t chunk, std::uint32_t fragments) const {
    return chunk * (fragments / workers_) + std::min(chunk, fragments % workers_);
  }
  std::uint32_t chunk_of(std::uint32_t fragment, std::uint32_t fragments) const {
    const std::uint32_t size = fragments / workers_;
    const std::uint32_t longer = fragments % workers_;  // so many chunks
    if (fragment < longer * (size + 1)) return fragment / (size + 1);
    return longer + (fragment - longer * (size + 1)) / size;
  }

  std::uint16_t rank_;
  std::uint16_t workers_;
};

}  // namespace ina
