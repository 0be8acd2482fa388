// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "hw/cluster/faults/chance.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::faults {

/// Classes of frames, to which a fault may be limited.
enum class FrameClass : std::uint8_t {
  gradient,
  partial,  ///< a partial sum that left an aggregator
  result,
  reminder,
  fragment_request,
  notification,
  release,
  acknowledgement,
};
/// Names in the order of FrameClass.
inline constexpr std::array<const char*, 8> kFrameClassNames = {
    "gradient",         "partial",      "result",  "reminder",
    "fragment_request", "notification", "release", "acknowledgement"};

/// The class of a job's frame.
constexpr FrameClass class_of(const Frame& frame) {
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
    case FrameKind::segment:
    case FrameKind::datagram:
      break;
  }
  return frame.has(flag::partial) ? FrameClass::partial : FrameClass::gradient;
}

/// A set of frame classes.
using FrameClasses = std::uint8_t;
inline constexpr FrameClasses kEveryFrameClass = (1U << kFrameClassNames.size()) - 1;
constexpr FrameClasses only(FrameClass c) {
  return static_cast<FrameClasses>(1U << static_cast<unsigned>(c));
}

/// Direction of frames on a link: to or from its switch. On a link between two switches, to or from
/// the upper one.
enum class LinkDirection : std::uint8_t { to_switch, from_switch };
/// Names in the order of LinkDirection.
inline constexpr std::array<std::string_view, 2> kLinkDirectionNames = {"to_switch", "from_switch"};

/// Bounds of LinkFaults::Config.
inline constexpr fields::Bounds<std::uint64_t> kLostFrame{0, 1'000'000'000'000};
inline constexpr std::size_t kMaxLostFrames = 1000;

/// Faults that frames suffer in one direction of a link. Each probability is per frame of the
/// classes in `frames`. The faults are applied in the order of the fields, so a lost frame, for
/// example, is not also corrupted.
class LinkFaults {
 public:
  /// Losses in bursts (the model of Gilbert and Elliott).
  struct Burst {
    double start = 0;
    Time mean_duration{};  ///< exponential; if 0, each frame ends its burst with probability `end`
    double end = 1;
    double loss = 1;  ///< probability in a burst, instead of Config::loss

    bool operator==(const Burst&) const = default;
  };

  struct Config {
    FrameClasses frames = kEveryFrameClass;
    Time from{};  ///< time at which faults begin
    Time until{fields::kMaxTimePs};
    /// Frames to lose, by their numbers. All frames to which the faults apply are numbered from 0,
    /// including those that other faults affect.
    std::vector<std::uint64_t> lost_frames;
    double loss = 0;
    Burst burst;
    double corruption = 0;  ///< the receiver drops the frame because its checksum is wrong
    double duplication = 0;
    double reordering = 0;  ///< later frames overtake a frame delayed by up to reordering_delay
    Time reordering_delay = std::chrono::microseconds(10);

    bool operator==(const Config&) const = default;

    /// Keys of a scenario and of a cluster file, and ns-3's attributes.
    template <class Visitor, class Self>
    static void visit(Visitor& visitor, Self& self) {
      visitor.set("frames", self.frames, kFrameClassNames,
                  "Kinds of frames that the faults affect. partial: a sum that left an aggregator "
                  "before it was complete");
      visitor.time("from", self.from, fields::kAnyTime,
                   "Time at which the faults begin. A frame is affected if it leaves the sender at "
                   "or after this time");
      visitor.time("until", self.until, fields::kAnyTime,
                   "Time at which the faults end. Minimum: from");
      visitor.numbers(
          "lost_frames", self.lost_frames, kLostFrame, kMaxLostFrames,
          "Numbers of the frames that are lost, from 0. Each direction of each link counts only "
          "the frames that leave between from and until and whose kind is in frames");
      visitor.probability("loss", self.loss, "Share of frames that are lost outside bursts");
      visitor.object(
          "burst", [&burst = self.burst](auto& inner) { visit_burst(inner, burst); },
          "Losses in bursts (Gilbert-Elliott)");
      visitor.probability("corruption", self.corruption,
                          "Share of frames that are corrupted, so that the receiver drops them");
      visitor.probability("duplication", self.duplication, "Share of frames that arrive twice");
      visitor.probability("reordering", self.reordering,
                          "Share of frames that are delayed, so that later frames overtake them");
      visitor.time("reordering_delay", self.reordering_delay, fields::kLatency,
                   "Maximum extra delay of a frame that is delayed");
    }
  };

  /// Effect of the faults on one frame.
  struct Outcome {
    bool lost = false;
    bool corrupted = false;
    bool duplicated = false;
    Time delay{};
  };

  LinkFaults(const Config& config, std::uint64_t seed);

  Outcome decide(const Frame& frame, Time now) {
    return concerns(only(class_of(frame)), now) ? decide_on_next(now) : Outcome();
  }
  /// Like decide(), for a frame of no job. Only faults that apply to all frame classes affect it.
  Outcome decide_on_other(Time now) {
    return concerns(kEveryFrameClass, now) ? decide_on_next(now) : Outcome();
  }

 private:
  template <class Visitor, class Self>
  static void visit_burst(Visitor& visitor, Self& burst) {
    visitor.probability("start", burst.start, "Share of frames that begin a burst");
    visitor.time("mean_duration", burst.mean_duration, fields::kAnyTime,
                 "Mean duration of a burst. Durations are exponentially distributed and do not "
                 "depend on traffic. 0s: end determines the length of bursts");
    visitor.probability(
        "end", burst.end,
        "Share of frames in a burst that end the burst. On an idle link such a burst may last very "
        "long, because only frames end it. Use mean_duration for links that may be idle");
    visitor.probability("loss", burst.loss, "Share of frames in a burst that are lost");
  }

  /// Whether the faults apply at `now` to all of `classes`.
  bool concerns(FrameClasses classes, Time now) const {
    return now >= config_.from && now < config_.until && (config_.frames & classes) == classes;
  }

  Outcome decide_on_next(Time now) {
    const std::uint64_t number = next_number_++;
    return number < next_affected_ ? Outcome() : decide_on_affected(number, now);
  }

  Outcome decide_on_affected(std::uint64_t number, Time now);
  void move_on_in_burst(std::uint64_t number, Time now);
  void begin_burst(std::uint64_t number, Time now);
  void end_burst(std::uint64_t number, std::uint64_t next_may_begin);
  bool is_listed_as_lost(std::uint64_t number);
  std::uint64_t next_listed() const;
  std::uint64_t next_affected() const;
  Time draw_delay();
  Time draw_duration();

  // The fields that are read for every frame are adjacent: these two, and the first of config_.
  std::uint64_t next_number_ = 0;
  std::uint64_t next_affected_ = 0;  // number of the next frame with any fault
  Config config_;
  bool in_burst_ = false;
  Time burst_until_ = kNever;    // end of a burst with a duration
  std::size_t next_listed_ = 0;  // index in config_.lost_frames, which are sorted and unique
  std::mt19937_64 random_;
  Chance burst_change_;
  Chance loss_;
  Chance corruption_;
  Chance duplication_;
  Chance reordering_;
};

/// Combines the outcomes of all LinkFaults of a link for one frame. The longest delay counts.
LinkFaults::Outcome decide(std::span<LinkFaults> all, const Frame& frame, Time now);

}  // namespace ina::faults
