// SPDX-License-Identifier: BSD-3-Clause
#include "tests/campaigns/hostile_host.hpp"

#include <algorithm>
#include <utility>

#include "hw/cluster/systems/all.hpp"
#include "hw/protocol/wire/codec.hpp"
#include "tests/support/damaged_frame.hpp"

namespace ina::campaigns {

namespace {

constexpr std::uint32_t kMostChanges = 3;

bool carries_values(FrameKind kind) {
  return kind == FrameKind::gradient || kind == FrameKind::result || kind == FrameKind::reminder;
}

}  // namespace

HostileHost::HostileHost(const testing::ClusterShape& shape, const Attack& attack,
                         std::uint64_t seed, ValuePool& pool)
    : shape_(shape),
      attack_(attack),
      random_(seed),
      pool_(pool),
      left_(attack.frames),
      next_(attack.frames == 0 ? kNever : attack.begin) {}

void HostileHost::settle(HostId self, HostId hosts) {
  self_ = self;
  hosts_ = hosts;
}

void HostileHost::hear(const Frame& frame) {
  last_job_ = std::max(last_job_, frame.job);
  if (heard_.size() < kRemembered) {
    heard_.push_back(frame);
  } else {
    heard_[random_.between(0, kRemembered - 1)] = frame;
  }
}

bool HostileHost::next(Frame& out, Time now) {
  if (!forged_) return honest_->next(out, now);
  out = *std::exchange(forged_, std::nullopt);
  ++sent_;
  return true;
}

void HostileHost::expire(Time now) {
  if (honest_->deadline() <= now) honest_->expire(now);
  if (next_ > now) return;
  forged_ = as_on_the_wire(draw_frame());
  next_ = --left_ == 0 ? kNever : now + random_.between(Time(1), attack_.gap);
}

// ---- forgeries

Frame HostileHost::draw_frame() {
  const bool as_member = standing_ && random_.percent(50);
  Frame frame = as_member ? in_its_own_name() : guess();
  if (!as_member && !heard_.empty() && random_.percent(70)) {
    frame = draw_heard();
    if (random_.percent(50)) frame.source = self_;
  }
  for (std::uint32_t changes = random_.between(0, kMostChanges); changes > 0; --changes) {
    change(frame);
  }
  fill(frame);
  return frame;
}

namespace {

/// SwitchML's version takes the place of a flag that its frames do not use.
constexpr std::uint8_t kVersion = 16;

void set_index(Frame& frame, std::uint32_t index) {
  if (auto* const fields = std::get_if<AggregatorFields>(&frame.fields)) fields->index = index;
  if (auto* const fields = std::get_if<SwitchmlFields>(&frame.fields)) fields->slot = index;
}

std::uint64_t flags_of(const Frame& frame) {
  const auto* const fields = std::get_if<SwitchmlFields>(&frame.fields);
  return frame.flags | (fields != nullptr && fields->version ? kVersion : 0U);
}

}  // namespace

/// Sets those of `flags` that frames of the system may have.
void HostileHost::set_flags(Frame& frame, std::uint64_t flags) const {
  const wire::Format format = cluster::traits_of(shape_.system).format;
  frame.flags = static_cast<std::uint8_t>(flags & wire::known_flags(format));
  if (auto* const fields = std::get_if<SwitchmlFields>(&frame.fields)) {
    fields->version = (flags & kVersion) != 0;
  }
}

Frame HostileHost::guess() {
  Frame frame;
  frame.kind = draw_kind();
  frame.job = draw_job();
  frame.psn = draw_psn();
  frame.fields = wire::fields_of(cluster::traits_of(shape_.system).format);
  set_index(frame, random_.between(0, shape_.aggregators - 1));
  frame.source = random_.percent(50) ? self_ : draw_host();
  frame.worker = static_cast<std::uint16_t>(random_.between(0, 7));
  const std::uint32_t bitmap = random_.percent(50) ? 1U << frame.worker : draw_bitmap();
  const auto fan_in = static_cast<std::uint8_t>(random_.between(1, 8));
  if (auto* const fields = std::get_if<AggregatorFields>(&frame.fields)) {
    fields->bitmap0 = bitmap;
    fields->fan_in_degree0 = fan_in;
  }
  frame.destination = random_.percent(50) ? kAllWorkers : draw_host();
  return frame;
}

/// A frame that a member of its job may send, changed only in fields that a member may choose.
Frame HostileHost::in_its_own_name() {
  Frame frame = guess();
  frame.job = standing_->job;
  frame.source = self_;
  const auto priority = static_cast<std::uint16_t>(random_.one_of({0, 1, 16, 65535}));
  auto* const fields = std::get_if<AggregatorFields>(&frame.fields);
  if (fields != nullptr) {
    fields->fan_in_degree0 = static_cast<std::uint8_t>(standing_->workers);
    fields->priority = priority;
  }
  if (!standing_->rank) {
    frame.kind =
        random_.one_of({FrameKind::result, FrameKind::fragment_request, FrameKind::reminder});
    frame.destination = frame.kind == FrameKind::reminder ? self_ : kAllWorkers;
    return frame;
  }
  const bool has_server = cluster::traits_of(shape_.system).has_servers;
  frame.kind = !has_server || random_.percent(70)
                   ? FrameKind::gradient
                   : random_.one_of({FrameKind::notification, FrameKind::release});
  frame.worker = has_server ? *standing_->rank : wire::place_at_first_switch(standing_->path);
  if (fields != nullptr) {
    fields->bitmap0 = standing_->path.bitmap0;
    fields->bitmap1 = standing_->path.bitmap1;
  }
  frame.destination = has_server ? standing_->servers.of(frame.psn) : self_;
  set_flags(frame, random_.bits());
  frame.clear(flag::partial);
  return frame;
}

void HostileHost::change(Frame& frame) {
  auto* const fields = std::get_if<AggregatorFields>(&frame.fields);
  auto* const switchml = std::get_if<SwitchmlFields>(&frame.fields);
  switch (random_.between(0, 7)) {
    case 0:
      frame.psn = draw_psn();
      break;
    case 1:
      set_index(frame, random_.between(0, shape_.aggregators));
      break;
    case 2:
      if (const auto priority = static_cast<std::uint16_t>(random_.bits()); fields != nullptr) {
        fields->priority = priority;
      }
      break;
    case 3:
      if (const auto exponents = static_cast<std::uint16_t>(random_.bits()); switchml != nullptr) {
        switchml->exponents = exponents;
      }
      break;
    case 4:
      set_flags(frame, flags_of(frame) ^ (1U << random_.between(0, 7)));
      break;
    case 5:
      frame.kind = draw_kind();
      break;
    case 6:
      change_address(frame);
      break;
    default:
      change_members(frame);
  }
}

void HostileHost::change_address(Frame& frame) {
  switch (random_.between(0, 2)) {
    case 0:
      frame.job = draw_job();
      break;
    case 1:
      frame.source = draw_host();
      break;
    default:
      frame.destination = random_.percent(30) ? kAllWorkers : draw_host();
  }
}

void HostileHost::change_members(Frame& frame) {
  AggregatorFields ignored;
  auto* const present = std::get_if<AggregatorFields>(&frame.fields);
  AggregatorFields& fields = present != nullptr ? *present : ignored;
  switch (random_.between(0, 4)) {
    case 0:
      frame.worker = static_cast<std::uint16_t>(random_.between(0, 40));
      break;
    case 1:
      fields.bitmap0 = draw_bitmap();
      break;
    case 2:
      fields.bitmap1 = draw_bitmap();
      break;
    case 3:
      fields.fan_in_degree0 = static_cast<std::uint8_t>(random_.between(0, 33));
      break;
    default:
      fields.fan_in_degree1 = static_cast<std::uint8_t>(random_.between(0, 4));
  }
}

/// Fills in random values, so that any sum that contains them is wrong.
void HostileHost::fill(Frame& frame) {
  if (!carries_values(frame.kind)) {
    frame.values.reset();
    return;
  }
  if (frame.values && random_.percent(30)) return;  // keeps the recorded values
  frame.values = pool_.take();
  std::generate_n(frame.values.data(), pool_.count(),
                  [this] { return static_cast<std::int32_t>(random_.bits()); });
}

std::optional<Frame> HostileHost::as_on_the_wire(const Frame& frame) {
  const wire::Format format = cluster::traits_of(shape_.system).format;
  return testing::from_line(format, testing::to_line(format, frame), pool_);
}

const Frame& HostileHost::draw_heard() {
  return heard_[random_.between(0, static_cast<std::uint32_t>(heard_.size() - 1))];
}

std::uint32_t HostileHost::draw_bitmap() {
  switch (random_.between(0, 3)) {
    case 0:
      return 1U << random_.between(0, 31);
    case 1:
      return wire::full_bitmap(random_.between(1, 8));
    case 2:
      return 0;
    default:
      return static_cast<std::uint32_t>(random_.bits());
  }
}

Psn HostileHost::draw_psn() {
  if (heard_.empty() || random_.percent(20)) {
    return random_.percent(50) ? random_.between(0, 64) : static_cast<Psn>(random_.bits());
  }
  return draw_heard().psn + random_.between(0, 2) - 1;
}

FrameKind HostileHost::draw_kind() {
  return static_cast<FrameKind>(random_.between(static_cast<std::uint32_t>(FrameKind::gradient),
                                                static_cast<std::uint32_t>(FrameKind::release)));
}

}  // namespace ina::campaigns
