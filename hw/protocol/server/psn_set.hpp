// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// A set of PSNs that remembers at least the highest `span` PSNs, one bit each. A PSN beyond these
/// makes it forget the lowest ones. If a job has several servers, `span` counts the PSNs of all.
class RecentPsnSet {
 public:
  explicit RecentPsnSet(std::uint32_t span)
      : size_(std::bit_ceil(span < 64 ? 64U : span)), words_(size_ / 64) {}

  bool contains(Psn psn) const { return remembers(psn) && (word(psn) & bit(psn)) != 0; }

  /// Inserts the PSN. Returns false if it was in the set already.
  bool insert(Psn psn) {
    if (psn == next_) {
      ++next_;
      word(psn) |= bit(psn);
      return true;
    }
    if (psn > next_) advance(psn);
    if (!remembers(psn)) return true;
    const bool was_in = (word(psn) & bit(psn)) != 0;
    word(psn) |= bit(psn);
    return !was_in;
  }

  void erase(Psn psn) {
    if (remembers(psn)) word(psn) &= ~bit(psn);
  }

 private:
  bool remembers(Psn psn) const { return psn < next_ && next_ - psn <= size_; }

  // Not inlined, since it would take registers from every caller of insert().
  [[gnu::noinline]] void advance(Psn psn) {
    const std::uint64_t end = std::uint64_t{psn} + 1;
    if (end - next_ > size_) {
      std::fill(words_.begin(), words_.end(), 0);
    } else {
      for (std::uint64_t p = next_; p != end; ++p) {
        word(static_cast<Psn>(p)) &= ~bit(static_cast<Psn>(p));
      }
    }
    next_ = end;
  }

  std::uint64_t& word(Psn psn) { return words_[(psn & (size_ - 1)) / 64]; }
  std::uint64_t word(Psn psn) const { return words_[(psn & (size_ - 1)) / 64]; }
  static std::uint64_t bit(Psn psn) { return std::uint64_t{1} << (psn % 64); }

  BOOST_DESCRIBE_CLASS(RecentPsnSet, (), (), (), (next_, words_))

  std::uint32_t size_;
  // One past the highest PSN ever inserted. It has 64 bits, since even the highest PSN may arrive.
  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace ina
