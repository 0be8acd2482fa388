// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/faults/link_faults.hpp"

#include <algorithm>

namespace ina::faults {

LinkFaults::LinkFaults(const Config& config, std::uint64_t seed)
    : config_(config),
      random_(seed),
      burst_change_(config.burst.start, 0, random_),
      loss_(config.loss, 0, random_),
      corruption_(config.corruption, 0, random_),
      duplication_(config.duplication, 0, random_),
      reordering_(config.reordering, 0, random_) {
  std::vector<std::uint64_t>& lost = config_.lost_frames;
  std::ranges::sort(lost);
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  next_affected_ = next_affected();
}

LinkFaults::Outcome LinkFaults::decide_on_affected(std::uint64_t number, Time now) {
  move_on_in_burst(number, now);
  // All processes advance, even those whose effect another fault hides.
  const bool listed = is_listed_as_lost(number);
  const bool lost = loss_.happens_to(number, random_);
  const bool corrupted = corruption_.happens_to(number, random_);
  const bool duplicated = duplication_.happens_to(number, random_);
  const bool late = reordering_.happens_to(number, random_);
  next_affected_ = next_affected();

  Outcome outcome;
  if (listed || lost) {
    outcome.lost = true;
  } else if (corrupted) {
    outcome.corrupted = true;
  } else {
    outcome.duplicated = duplicated;
    if (late) outcome.delay = draw_delay();
  }
  return outcome;
}

/// Begins or ends a burst, if this frame or time requires it. The frame is already in the new
/// state. The gaps are drawn again, which changes no probability, since a geometric distribution
/// has no memory.
void LinkFaults::move_on_in_burst(std::uint64_t number, Time now) {
  // The first frame after a burst with a duration may begin the next burst.
  if (now >= burst_until_) end_burst(number, number);
  if (number != burst_change_.next()) return;
  in_burst_ ? end_burst(number, number + 1) : begin_burst(number, now);
}

void LinkFaults::begin_burst(std::uint64_t number, Time now) {
  in_burst_ = true;
  const bool lasts_for_a_time = config_.burst.mean_duration > Time::zero();
  if (lasts_for_a_time) burst_until_ = now + draw_duration();
  burst_change_ = Chance(lasts_for_a_time ? 0 : config_.burst.end, number + 1, random_);
  loss_ = Chance(config_.burst.loss, number, random_);
}

/// `next_may_begin`: the first frame that may begin the next burst.
void LinkFaults::end_burst(std::uint64_t number, std::uint64_t next_may_begin) {
  in_burst_ = false;
  burst_until_ = kNever;
  burst_change_ = Chance(config_.burst.start, next_may_begin, random_);
  loss_ = Chance(config_.loss, number, random_);
}

bool LinkFaults::is_listed_as_lost(std::uint64_t number) {
  if (number != next_listed()) return false;
  ++next_listed_;
  return true;
}

std::uint64_t LinkFaults::next_listed() const {
  const std::vector<std::uint64_t>& lost = config_.lost_frames;
  return next_listed_ == lost.size() ? Chance::kNever : lost[next_listed_];
}

std::uint64_t LinkFaults::next_affected() const {
  if (burst_until_ != kNever) return next_number_;  // the burst may be over
  return std::min({next_listed(), burst_change_.next(), loss_.next(), corruption_.next(),
                   duplication_.next(), reordering_.next()});
}

Time LinkFaults::draw_delay() {
  return Time(std::uniform_int_distribution<Time::rep>(
      1, std::max<Time::rep>(config_.reordering_delay.count(), 1))(random_));
}

Time LinkFaults::draw_duration() {
  const auto mean = static_cast<double>(config_.burst.mean_duration.count());
  return Time(static_cast<Time::rep>(std::exponential_distribution<>(1 / mean)(random_)));
}

LinkFaults::Outcome decide(std::span<LinkFaults> all, const Frame& frame, Time now) {
  LinkFaults::Outcome outcome;
  for (LinkFaults& one : all) {
    const LinkFaults::Outcome its = one.decide(frame, now);
    outcome.lost |= its.lost;
    outcome.corrupted |= its.corrupted;
    outcome.duplicated |= its.duplicated;
    outcome.delay = std::max(outcome.delay, its.delay);
  }
  return outcome;
}

}  // namespace ina::faults
