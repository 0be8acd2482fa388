// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// Tracks a worker's fragments, for all transports except that of all-reduces among workers: which
/// of them are unsent, in flight or done, and in which order those in flight were last sent.
class FragmentTracker {
 public:
  enum class State : std::uint8_t { unsent, in_flight, done };

  struct Fragment {
    Time sent{};
    std::uint32_t aggregator_index = 0;  ///< index in its packets
    std::uint8_t transmissions = 0;
    State state = State::unsent;
    bool in_turn = false;            ///< sent only once, and in the order of PSNs
    std::uint8_t postponements = 0;  ///< postpone() calls, modulo 256

    BOOST_DESCRIBE_CLASS(Fragment, (),
                         (sent, aggregator_index, transmissions, state, in_turn, postponements), (),
                         ())
  };

  struct Done {
    bool first;                  ///< false: the fragment was done before, or is unknown
    std::uint8_t transmissions;  ///< if 1, the round trip is known
    Time sent;
    bool tensor_complete;  ///< whether this fragment completed its tensor
    Psn tensor_first_psn;
  };

  void submit(const Tensor& tensor);

  /// The next fragment to send if PSNs are sent strictly in order. A tensor then waits until all
  /// earlier tensors have been submitted and sent. Workers with windows need this order. Otherwise
  /// they could be in different tensors, and their windows and the switch's aggregators would fill
  /// with fragments that other workers have not sent.
  Psn next_psn() const { return next_psn_; }
  /// Tensor of next_psn(); nullptr if it has not been submitted.
  const Tensor* next_tensor() const {
    const Active* const active = find_active(next_psn_);
    return active == nullptr ? nullptr : &active->tensor;
  }

  /// The first sent fragment that is not done, or next_psn() if there is none. Valid only if PSNs
  /// are sent in order.
  Psn first_not_done() const { return missing_.empty() ? base_ : missing_.front().psn; }

  /// Whether any submitted fragment is unsent. Valid for any order of sending.
  bool has_unsent() const {
    std::uint32_t remaining = 0;
    for (const Active& active : active_) remaining += active.remaining;
    return remaining > in_flight_;
  }
  /// Time of the latest transmission that was not a retransmission.
  Time last_sent() const { return last_sent_; }

  /// The tensor of a fragment that was submitted and is not done.
  const Tensor& tensor_of(Psn psn) const { return find_active(psn)->tensor; }
  /// The tensor of `psn` if it is incomplete, or complete but still readable; nullptr otherwise.
  const Tensor* find(Psn psn) const;

  /// The fragment, if it is in flight; nullptr otherwise.
  Fragment* fragment(Psn psn) {
    Fragment* const found = find_fragment(psn);
    return found != nullptr && found->state == State::in_flight ? found : nullptr;
  }
  bool is_in_flight(Psn psn) const { return state(psn) == State::in_flight; }
  /// Whether the fragment's tensor has been submitted, but the fragment has not been sent.
  bool is_unsent(Psn psn) const;
  bool is_done(Psn psn) const;

  /// Records that a fragment of a submitted tensor is sent. The reference is valid until the next
  /// call.
  Fragment& sent(Psn psn, Time now) {
    if (psn != end()) [[unlikely]] {
      if (psn < end()) return sent_out_of_turn(psn, now);
      go_on_to(psn);
    }
    if (fragments_.is_full()) [[unlikely]]
      set_missing_aside();
    Fragment& fragment = fragments_.emplace_back(now, 0U, std::uint8_t{1}, State::in_flight, true);
    fragments_.fetch(fragments_.size() + kFetchedAhead);
    next_psn_ = std::max(next_psn_, psn + 1);
    ++in_flight_;
    last_sent_ = now;
    return fragment;
  }
  /// Treats `psn`, which is in flight, as if it were sent now, without counting a transmission.
  void restart_time(Psn psn, Time now) { queue_transmission(psn, now); }
  /// Like restart_time(), after a time-out. Returns how often it was called for `psn`, modulo 256.
  std::uint8_t postpone(Psn psn, Time now) {
    restart_time(psn, now);
    return ++find_fragment(psn)->postponements;
  }
  Done done(Psn psn) {
    Fragment* const found = fragment(psn);
    if (found == nullptr) return {};
    Active& active = active_of(psn);
    Done result{true, found->transmissions, found->sent, false, active.tensor.first_psn};
    --in_flight_;
    if (!found->in_turn) --out_of_turn_;
    if (psn < base_) [[unlikely]] {
      forget_missing(psn);
    } else {
      fragments_.fetch(psn - base_ + kFetchedAhead);  // results arrive approximately in order
      last_done_ = psn;
      if (psn == base_) {
        forget_first();
      } else {
        *found = {.state = State::done};
      }
    }
    if (all_are_in_turn()) [[likely]] {
      first_in_turn_ = first_not_done();
    } else if (psn == first_in_turn_ || !transmissions_.empty()) {
      drop_stale();
    }
    if (--active.remaining == 0) [[unlikely]] {
      result.tensor_complete = true;
      finish(static_cast<std::size_t>(&active - active_.data()));
    }
    return result;
  }

  /// The packet in flight whose last transmission is the oldest: ATP's expected sequence number.
  std::optional<Psn> oldest_in_flight() const {
    if (none_sent()) return std::nullopt;
    return oldest_is_in_turn() ? first_in_turn_ : transmissions_.front().psn;
  }
  /// Returns oldest_in_flight() and removes that packet from the order until it is sent
  /// again.
  std::optional<Psn> take_oldest();
  /// Like oldest_in_flight(), but for a subset of PSNs: `next_of(psn)` returns the first PSN of the
  /// subset from `psn` on. `from` must be a variable for each subset, at first 0. The call advances
  /// it, to shorten the next search.
  template <class NextOf>
  std::optional<Psn> oldest_in_flight(NextOf&& next_of, Psn& from) const {
    from = next_of(std::max(from, first_in_turn_));
    while (from < end() && !is_in_turn(from)) from = next_of(from + 1);
    const std::optional<Psn> in_turn = from < end() ? std::optional(from) : std::nullopt;
    for (std::size_t i = 0; i < transmissions_.size(); ++i) {
      const Transmission& transmission = transmissions_[i];
      if (stale(transmission) || next_of(transmission.psn) != transmission.psn) continue;
      const bool is_older = !in_turn || transmission.sent <= find_fragment(from)->sent;
      return is_older ? transmission.psn : in_turn;
    }
    return in_turn;
  }
  /// Removes `psn`, which is in flight, from the order of transmissions until it is sent again.
  void forget_transmission(Psn psn);
  /// Time at which oldest_in_flight() was last sent; kNever if nothing is in flight.
  Time oldest_sent() const {
    if (all_are_in_turn()) [[likely]] {
      if (!missing_.empty()) return missing_.front().fragment.sent;
      return fragments_.empty() ? kNever : fragments_.front().sent;
    }
    if (none_sent()) return kNever;
    return oldest_is_in_turn() ? find_fragment(first_in_turn_)->sent : transmissions_.front().sent;
  }
  std::uint32_t in_flight() const { return in_flight_; }

  /// Prefetches the memory outside this object that the next calls will probably use.
  void fetch() const {
    fetch_line(active_.data());
    for (std::size_t i = 0; i <= kFetchedAhead; i += kFragmentsOfALine) {
      fragments_.fetch(last_done_ - base_ + i);
      fragments_.fetch(fragments_.size() + i);
    }
  }

 private:
  static constexpr std::size_t kFragmentsOfALine = kCacheLineBytes / sizeof(Fragment);
  static constexpr std::size_t kFetchedAhead = 4 * kFragmentsOfALine;

  struct Active {
    Tensor tensor;
    std::uint32_t remaining;  ///< fragments that are not done

    bool holds(Psn psn) const { return psn - tensor.first_psn < tensor.fragments; }
    BOOST_DESCRIBE_CLASS(Active, (), (tensor, remaining), (), ())
  };
  struct Missing {
    Psn psn;
    Fragment fragment;
    BOOST_DESCRIBE_CLASS(Missing, (), (psn, fragment), (), ())
  };
  struct Transmission {
    Psn psn;
    Time sent;
    BOOST_DESCRIBE_CLASS(Transmission, (), (psn, sent), (), ())
  };
  BOOST_DESCRIBE_CLASS(FragmentTracker, (), (), (),
                       (active_, complete_, low_watermark_, next_psn_, missing_, base_, fragments_,
                        first_in_turn_, transmissions_, out_of_turn_, in_flight_))

  const Active* find_active(Psn psn) const {
    for (const Active& active : active_) {
      if (active.holds(psn)) return &active;
    }
    return nullptr;
  }
  /// `psn` must belong to an active tensor.
  Active& active_of(Psn psn) { return const_cast<Active&>(*find_active(psn)); }
  /// The fragment in fragments_ or missing_. nullptr if it is in neither: done and before base_, or
  /// not sent yet.
  const Fragment* find_fragment(Psn psn) const {
    const std::uint32_t index = psn - base_;
    if (index < fragments_.size()) [[likely]]
      return &fragments_[index];
    return missing_.empty() ? nullptr : find_missing(psn);
  }
  Fragment* find_fragment(Psn psn) {
    return const_cast<Fragment*>(std::as_const(*this).find_fragment(psn));
  }
  [[gnu::noinline]] const Fragment* find_missing(Psn psn) const;
  [[gnu::noinline]] void forget_missing(Psn psn);
  [[gnu::noinline, gnu::cold]] void set_missing_aside();
  bool is_in_turn(Psn psn) const {
    const Fragment* const found = find_fragment(psn);
    return found != nullptr && found->in_turn;
  }
  State state(Psn psn) const;
  void leave_out(Psn psn, GrowingRing<Fragment>& fragments);
  void begin_before(Psn psn);
  [[gnu::noinline]] void go_on_to(Psn psn);
  [[gnu::noinline]] Fragment& sent_out_of_turn(Psn psn, Time now);
  void queue_transmission(Psn psn, Time now);
  /// Whether all fragments that have been reached and are not done are in flight and in turn.
  bool all_are_in_turn() const { return out_of_turn_ == 0 && transmissions_.empty(); }
  void leave_turn(Fragment& fragment) {
    if (std::exchange(fragment.in_turn, false)) ++out_of_turn_;
  }
  /// One past the last fragment that was sent.
  Psn end() const { return base_ + static_cast<Psn>(fragments_.size()); }
  bool none_sent() const { return first_in_turn_ == end() && transmissions_.empty(); }
  bool oldest_is_in_turn() const {
    if (transmissions_.empty()) return true;
    return first_in_turn_ != end() &&
           find_fragment(first_in_turn_)->sent < transmissions_.front().sent;
  }
  bool stale(const Transmission& transmission) const {
    const Fragment* const found = find_fragment(transmission.psn);
    return found == nullptr || found->state != State::in_flight || found->sent != transmission.sent;
  }
  void drop_stale() {
    if (first_in_turn_ < base_) find_turn_of_missing();
    while (first_in_turn_ >= base_ && first_in_turn_ != end() &&
           !fragments_[first_in_turn_ - base_].in_turn) {
      ++first_in_turn_;
    }
    while (!transmissions_.empty() && stale(transmissions_.front())) transmissions_.pop_front();
  }
  void find_turn_of_missing();
  void drop_all_stale();
  /// Drops the ring's first fragment, and the completed fragments that follow it.
  void forget_first() {
    do {
      fragments_.pop_front();
      ++base_;
    } while (!fragments_.empty() && fragments_.front().state == State::done);
  }
  void finish(std::size_t index);

  std::vector<Active> active_;    // in the order of PSNs
  std::vector<Tensor> complete_;  // complete tensors that are still readable
  Psn low_watermark_ = 0;
  Psn next_psn_ = 0;  // one past the highest PSN that was sent
  // Fragments up to the highest PSN sent. fragments_ has all of them from base_ on, and base_ is
  // not done. missing_ has the earlier ones that are not done. This keeps fragments_ short.
  std::vector<Missing> missing_;
  Psn base_ = 0;
  GrowingRing<Fragment> fragments_;
  // The order of transmissions has two parts: the fragments in turn, from first_in_turn_ on, and
  // transmissions_ for all others in flight. Between calls, first_in_turn_ is end() or a fragment
  // in turn, and the first item of transmissions_ is not stale.
  Psn first_in_turn_ = 0;
  GrowingRing<Transmission> transmissions_;
  std::uint32_t out_of_turn_ = 0;  // number of fragments that are neither done nor in turn
  std::uint32_t in_flight_ = 0;
  Psn last_done_ = 0;  // only a hint: the next results are probably near it
  Time last_sent_{};   // only used to find the reason for waits
};

}  // namespace ina
