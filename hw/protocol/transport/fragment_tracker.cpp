// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/fragment_tracker.hpp"

#include <algorithm>

namespace ina {

void FragmentTracker::submit(const Tensor& tensor) {
  const Psn first = tensor.first_psn;
  const bool none_begun = fragments_.empty() && missing_.empty() &&
                          std::ranges::all_of(active_, [](const Active& active) {
                            return active.remaining == active.tensor.fragments;
                          });
  if (none_begun) {
    base_ = first_in_turn_ = active_.empty() ? first : std::min(base_, first);
  } else if (first < base_) {
    begin_before(first);
  }
  const auto position = std::ranges::upper_bound(
      active_, first, {}, [](const Active& active) { return active.tensor.first_psn; });
  active_.insert(position, {tensor, tensor.fragments});
}

/// `psn` must not be in flight.
void FragmentTracker::leave_out(Psn psn, GrowingRing<Fragment>& fragments) {
  const State state = is_done(psn) ? State::done : State::unsent;
  if (state == State::unsent) ++out_of_turn_;
  fragments.emplace_back(Fragment{.state = state});
}

/// Handles a tensor that was submitted after fragments of a later tensor had been sent.
void FragmentTracker::begin_before(Psn psn) {
  GrowingRing<Fragment> wider;
  for (Psn before = psn; before != base_; ++before) {
    if (const Fragment* const found = find_fragment(before)) {
      wider.emplace_back(*found);
    } else {
      leave_out(before, wider);
    }
  }
  std::erase_if(missing_, [psn](const Missing& missing) { return missing.psn >= psn; });
  base_ = psn;
  for (; !fragments_.empty(); fragments_.pop_front()) wider.emplace_back(fragments_.front());
  fragments_ = std::move(wider);
}

const Tensor* FragmentTracker::find(Psn psn) const {
  if (const Active* active = find_active(psn)) return &active->tensor;
  for (const Tensor& tensor : complete_) {
    if (psn - tensor.first_psn < tensor.fragments) return &tensor;
  }
  return nullptr;
}

FragmentTracker::State FragmentTracker::state(Psn psn) const {
  if (const Fragment* const found = find_fragment(psn)) return found->state;
  return psn < base_ ? State::done : State::unsent;
}

const FragmentTracker::Fragment* FragmentTracker::find_missing(Psn psn) const {
  const auto found = std::ranges::lower_bound(missing_, psn, {}, &Missing::psn);
  return found != missing_.end() && found->psn == psn ? &found->fragment : nullptr;
}

void FragmentTracker::forget_missing(Psn psn) {
  missing_.erase(std::ranges::lower_bound(missing_, psn, {}, &Missing::psn));
}

/// Called when the ring is full. If missing fragments in front of completed ones fill the ring,
/// they are moved out. The ring then stays as small as the number of fragments in flight, and fits
/// the cache, however long fragments are missing. There are at most as many missing fragments as
/// fragments in flight. At least a quarter of the ring is free afterwards, so this function is
/// called rarely.
void FragmentTracker::set_missing_aside() {
  if (fragments_.size() < 2 * std::size_t{in_flight_}) return;
  while (2 * fragments_.size() > 3 * std::size_t{in_flight_} &&
         fragments_.front().state == State::in_flight) {
    missing_.push_back({base_, fragments_.front()});
    forget_first();
  }
}

/// Finds the first missing fragment from first_in_turn_ on. Without missing fragments, finds the
/// first fragment of the ring.
void FragmentTracker::find_turn_of_missing() {
  const auto begin = std::ranges::lower_bound(missing_, first_in_turn_, {}, &Missing::psn);
  const auto found = std::find_if(begin, missing_.end(),
                                  [](const Missing& missing) { return missing.fragment.in_turn; });
  first_in_turn_ = found == missing_.end() ? base_ : found->psn;
}

bool FragmentTracker::is_unsent(Psn psn) const {
  return find_active(psn) != nullptr && state(psn) == State::unsent;
}

bool FragmentTracker::is_done(Psn psn) const {
  if (find_active(psn) != nullptr) return state(psn) == State::done;
  return psn < low_watermark_ || find(psn) != nullptr;
}

/// Continues at a later PSN, and leaves out the fragments in between for now. Some of these may be
/// done, if their tensor was submitted before the tensors in front of it.
void FragmentTracker::go_on_to(Psn psn) {
  while (fragments_.empty() && base_ != psn && is_done(base_)) {
    if (first_in_turn_ == base_) ++first_in_turn_;
    ++base_;
  }
  while (end() != psn) {
    if (first_in_turn_ == end()) ++first_in_turn_;
    leave_out(end(), fragments_);
  }
}

FragmentTracker::Fragment& FragmentTracker::sent_out_of_turn(Psn psn, Time now) {
  Fragment& fragment = *find_fragment(psn);
  if (fragment.state != State::in_flight) ++in_flight_;
  fragment.state = State::in_flight;
  next_psn_ = std::max(next_psn_, psn + 1);
  if (fragment.transmissions == 0) last_sent_ = now;
  if (fragment.transmissions < UINT8_MAX) ++fragment.transmissions;
  queue_transmission(psn, now);
  return fragment;
}

void FragmentTracker::queue_transmission(Psn psn, Time now) {
  Fragment& fragment = *find_fragment(psn);
  fragment.sent = now;
  leave_turn(fragment);
  drop_stale();
  transmissions_.emplace_back(psn, now);
  // Only the latest transmission of a fragment counts. Stale ones are dropped at the front, and all
  // at once if there are too many, because they may be behind one that waits for a long time-out.
  constexpr std::size_t kFew = 64;
  if (transmissions_.size() > 2 * (missing_.size() + fragments_.size()) + kFew) drop_all_stale();
}

void FragmentTracker::drop_all_stale() {
  for (std::size_t left = transmissions_.size(); left > 0; --left) {
    const Transmission transmission = transmissions_.front();
    transmissions_.pop_front();
    if (!stale(transmission)) transmissions_.emplace_back(transmission);
  }
}

std::optional<Psn> FragmentTracker::take_oldest() {
  const auto psn = oldest_in_flight();
  if (!psn) return std::nullopt;
  if (oldest_is_in_turn()) {
    leave_turn(*find_fragment(*psn));
  } else {
    transmissions_.pop_front();
  }
  drop_stale();
  return psn;
}

void FragmentTracker::forget_transmission(Psn psn) {
  Fragment& fragment = *find_fragment(psn);
  std::size_t place = 0;
  while (!fragment.in_turn && place < transmissions_.size() &&
         (transmissions_[place].psn != psn || stale(transmissions_[place]))) {
    ++place;
  }
  if (!fragment.in_turn && place < transmissions_.size()) {
    for (; place > 0; --place) transmissions_[place] = transmissions_[place - 1];
    transmissions_.pop_front();
  }
  leave_turn(fragment);
  drop_stale();
}

void FragmentTracker::finish(std::size_t index) {
  const Tensor tensor = active_[index].tensor;
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(index));
  low_watermark_ = std::max(low_watermark_, tensor.low_watermark);
  std::erase_if(complete_, [this](const Tensor& old) {
    return old.first_psn + old.fragments <= low_watermark_;
  });
  complete_.push_back(tensor);
}

}  // namespace ina
