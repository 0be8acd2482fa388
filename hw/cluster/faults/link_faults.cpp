// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/faults/link_faults.hpp"

#include <algorithm>

namespace ina::faults {

FrameClass class_of(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::result:
      return FrameClass::result;
    case FrameKind::reminder:
      return FrameClass::reminder;
    case FrameKind::fragment_request:
      return FrameClass::fragment_request;
    case FrameKind::notification:
      return FrameClass::notification;
    case FrameKind::release:
      return FrameClass::release;
    case FrameKind::acknowledgement:
      return FrameClass::acknowledgement;
    case FrameKind::gradient:
      break;
  }
  return frame.has(flag::partial) ? FrameClass::partial : FrameClass::gradient;
}

LinkFaults::LinkFaults(const Config& config, std::uint64_t seed) : config_(config), random_(seed) {
  std::ranges::sort(config_.lost_frames);
}

LinkFaults::Fate LinkFaults::decide(const Frame& frame, Time now) {
  return concerns(only(class_of(frame)), now) ? draw() : Fate();
}

LinkFaults::Fate LinkFaults::decide_on_other(Time now) {
  return concerns(kEveryFrameClass, now) ? draw() : Fate();
}

LinkFaults::Fate LinkFaults::draw() {
  Fate fate;
  move_on_in_burst();
  if (next_is_lost() || happens(in_burst_ ? config_.burst_loss : config_.loss)) {
    fate.lost = true;
  } else if (happens(config_.corruption)) {
    fate.corrupted = true;
  } else {
    fate.duplicated = happens(config_.duplication);
    if (happens(config_.reordering)) fate.delay = draw_delay();
  }
  return fate;
}

bool LinkFaults::next_is_lost() {
  const std::uint64_t number = next_number_++;
  if (next_lost_ == config_.lost_frames.size() || config_.lost_frames[next_lost_] != number) {
    return false;
  }
  ++next_lost_;
  return true;
}

/// All of `classes`.
bool LinkFaults::concerns(FrameClasses classes, Time now) const {
  return now >= config_.from && now < config_.until && (config_.classes & classes) == classes;
}

bool LinkFaults::happens(double probability) {
  return probability > 0 && std::generate_canonical<double, 53>(random_) < probability;
}

void LinkFaults::move_on_in_burst() {
  if (in_burst_) {
    in_burst_ = !happens(config_.burst_end);
  } else {
    in_burst_ = happens(config_.burst_start);
  }
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
