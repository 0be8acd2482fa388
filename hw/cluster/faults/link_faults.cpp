// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/faults/link_faults.hpp"

#include <algorithm>

namespace ina::faults {

LinkFaults::LinkFaults(const Config& config, std::uint64_t seed)
    : config_(config),
      random_(seed),
      burst_change_(config.burst_start, 0, random_),
      loss_(config.loss, 0, random_),
      corruption_(config.corruption, 0, random_),
      duplication_(config.duplication, 0, random_),
      reordering_(config.reordering, 0, random_) {
  std::vector<std::uint64_t>& lost = config_.lost_frames;
  std::ranges::sort(lost);
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  next_affected_ = next_affected();
}

LinkFaults::Fate LinkFaults::decide_on_affected(std::uint64_t number) {
  move_on_in_burst(number);
  // Every chance moves on, also if another fault hides what it does.
  const bool listed = is_listed_as_lost(number);
  const bool lost = loss_.happens_to(number, random_);
  const bool corrupted = corruption_.happens_to(number, random_);
  const bool duplicated = duplication_.happens_to(number, random_);
  const bool late = reordering_.happens_to(number, random_);
  next_affected_ = next_affected();

  Fate fate;
  if (listed || lost) {
    fate.lost = true;
  } else if (corrupted) {
    fate.corrupted = true;
  } else {
    fate.duplicated = duplicated;
    if (late) fate.delay = draw_delay();
  }
  return fate;
}

/// To draw anew changes no probability, for a geometric distribution has no memory. This frame is
/// in the new state already.
void LinkFaults::move_on_in_burst(std::uint64_t number) {
  if (number != burst_change_.next()) return;
  in_burst_ = !in_burst_;
  burst_change_ = Chance(in_burst_ ? config_.burst_end : config_.burst_start, number + 1, random_);
  loss_ = Chance(in_burst_ ? config_.burst_loss : config_.loss, number, random_);
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
  return std::min({next_listed(), burst_change_.next(), loss_.next(), corruption_.next(),
                   duplication_.next(), reordering_.next()});
}

Time LinkFaults::draw_delay() {
  return Time(std::uniform_int_distribution<Time::rep>(
      1, std::max<Time::rep>(config_.reordering_delay.count(), 1))(random_));
}

LinkFaults::Fate decide(std::span<LinkFaults> all, const Frame& frame, Time now) {
  LinkFaults::Fate fate;
  for (LinkFaults& one : all) {
    const LinkFaults::Fate its = one.decide(frame, now);
    fate.lost |= its.lost;
    fate.corrupted |= its.corrupted;
    fate.duplicated |= its.duplicated;
    fate.delay = std::max(fate.delay, its.delay);
  }
  return fate;
}

}  // namespace ina::faults
