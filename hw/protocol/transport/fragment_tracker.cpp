// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/fragment_tracker.hpp"

#include <algorithm>

namespace ina {

namespace {

constexpr std::size_t kInitialRing = 256;

}  // namespace

void FragmentTracker::Active::grow() {
  std::vector<Fragment> wider(ring.size() * 2);
  for (std::uint32_t i = base; i < unsent; ++i) wider[i & (wider.size() - 1)] = at(i);
  ring = std::move(wider);
}

void FragmentTracker::submit(const Tensor& tensor) {
  Active active{tensor, 0, 0, tensor.fragments, {}};
  if (spare_rings_.empty()) {
    active.ring.resize(kInitialRing);
  } else {
    active.ring = std::move(spare_rings_.back());
    spare_rings_.pop_back();
  }
  const auto position =
      std::upper_bound(active_.begin(), active_.end(), tensor.first_psn,
                       [](Psn psn, const Active& a) { return psn < a.tensor.first_psn; });
  active_.insert(position, std::move(active));
}

const Tensor* FragmentTracker::find(Psn psn) const {
  if (const Active* active = find_active(psn)) return &active->tensor;
  for (const Tensor& tensor : complete_) {
    if (psn - tensor.first_psn < tensor.fragments) return &tensor;
  }
  return nullptr;
}

FragmentTracker::Fragment* FragmentTracker::fragment(Psn psn) {
  Active* active = find_active(psn);
  if (active == nullptr) return nullptr;
  const std::uint32_t index = psn - active->tensor.first_psn;
  return index >= active->base && index < active->unsent ? &active->at(index) : nullptr;
}

bool FragmentTracker::is_in_flight(Psn psn) {
  const Fragment* found = fragment(psn);
  return found != nullptr && found->state == State::in_flight;
}

bool FragmentTracker::is_unsent(Psn psn) const {
  const Active* active = find_active(psn);
  if (active == nullptr) return false;
  const std::uint32_t index = psn - active->tensor.first_psn;
  if (index < active->base) return false;
  return index >= active->unsent || active->at(index).state == State::unsent;
}

bool FragmentTracker::is_done(Psn psn) const {
  const Active* active = find_active(psn);
  if (active == nullptr) return psn < everyone_has_before_ || find(psn) != nullptr;
  const std::uint32_t index = psn - active->tensor.first_psn;
  return index < active->base || (index < active->unsent && active->at(index).state == State::done);
}

FragmentTracker::Sent FragmentTracker::sent(Psn psn, Time now) {
  Active& active = *find_active(psn);
  const std::uint32_t index = psn - active.tensor.first_psn;
  while (index >= active.unsent) {
    if (active.unsent - active.base == active.ring.size()) active.grow();
    active.at(active.unsent++) = Fragment{};
  }
  next_psn_ = std::max(next_psn_, psn + 1);
  Fragment& fragment = active.at(index);
  if (fragment.state != State::in_flight) ++in_flight_;
  fragment.state = State::in_flight;
  fragment.sent = now;
  if (fragment.transmissions < UINT8_MAX) ++fragment.transmissions;
  if (fragment.transmissions > 1) drop_stale();
  sendings_.emplace_back(psn, now);
  return {fragment, active.tensor};
}

void FragmentTracker::postpone(Psn psn, Time now) {
  fragment(psn)->sent = now;
  drop_stale();
  sendings_.emplace_back(psn, now);
}

std::optional<Psn> FragmentTracker::take_oldest() {
  const auto psn = oldest_in_flight();
  if (psn) sendings_.pop_front();
  drop_stale();
  return psn;
}

FragmentTracker::Done FragmentTracker::done(Psn psn) {
  Done result{false, 0, Time{}, false, 0};
  Active* active = find_active(psn);
  if (active == nullptr) return result;
  const std::uint32_t index = psn - active->tensor.first_psn;
  if (index < active->base || index >= active->unsent) return result;
  Fragment& fragment = active->at(index);
  if (fragment.state != State::in_flight) return result;
  fragment.state = State::done;
  --in_flight_;
  result.first = true;
  result.transmissions = fragment.transmissions;
  result.sent = fragment.sent;
  result.tensor_first_psn = active->tensor.first_psn;
  while (active->base < active->unsent && active->at(active->base).state == State::done) {
    ++active->base;
  }
  if (--active->remaining == 0) {
    result.tensor_complete = true;
    finish(static_cast<std::size_t>(active - active_.data()));
  }
  if (!sendings_.empty() && sendings_.front().psn == psn) drop_stale();
  return result;
}

void FragmentTracker::finish(std::size_t index) {
  const Tensor tensor = active_[index].tensor;
  spare_rings_.push_back(std::move(active_[index].ring));
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(index));
  everyone_has_before_ = std::max(everyone_has_before_, tensor.everyone_has_before);
  std::erase_if(complete_, [this](const Tensor& old) {
    return old.first_psn + old.fragments <= everyone_has_before_;
  });
  complete_.push_back(tensor);
}

bool FragmentTracker::stale(const Sending& sending) const {
  const Active* active = find_active(sending.psn);
  if (active == nullptr) return true;
  const std::uint32_t index = sending.psn - active->tensor.first_psn;
  if (index < active->base) return true;
  const Fragment& fragment = active->at(index);
  return fragment.state != State::in_flight || fragment.sent != sending.sent;
}

void FragmentTracker::drop_stale() {
  while (!sendings_.empty() && stale(sendings_.front())) sendings_.pop_front();
}

Time FragmentTracker::oldest_sent() const { return sendings_.front().sent; }

}  // namespace ina
