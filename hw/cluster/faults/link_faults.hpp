// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::faults {

/// Frames as faults tell them apart.
enum class FrameClass : std::uint8_t {
  gradient,
  partial,  ///< a gradient that came out of an aggregator
  result,
  reminder,
  fragment_request,
  notification,
  release,
  acknowledgement,
};
/// In the order of FrameClass.
inline constexpr std::array<const char*, 8> kFrameClassNames = {
    "gradient",         "partial",      "result",  "reminder",
    "fragment_request", "notification", "release", "acknowledgement"};

FrameClass class_of(const Frame& frame);

/// A set of frame classes.
using FrameClasses = std::uint8_t;
inline constexpr FrameClasses kEveryFrameClass = (1U << kFrameClassNames.size()) - 1;
constexpr FrameClasses only(FrameClass c) {
  return static_cast<FrameClasses>(1U << static_cast<unsigned>(c));
}

/// A direction of a link: to or from the switch, of two switches the one above.
enum class LinkDirection : std::uint8_t { to_switch, from_switch };
/// In the order of LinkDirection.
inline constexpr std::array<std::string_view, 2> kLinkDirectionNames = {"to_switch", "from_switch"};

/// What may happen to a frame on one direction of a link. Probabilities are of each frame that the
/// faults concern; a frame that is lost is not also corrupted, and so on in the order of the
/// fields.
class LinkFaults {
 public:
  struct Config {
    FrameClasses classes = kEveryFrameClass;
    Time from{};  ///< faults begin
    Time until = kNever;
    /// By their numbers, from 0, among the frames that the faults concern, whatever else happens to
    /// them: the same frames whenever they come.
    std::vector<std::uint64_t> lost_frames;
    double loss = 0;
    /// Losses in bursts (Gilbert and Elliott): each frame starts a burst with burst_start and ends
    /// one with burst_end; in a burst burst_loss stands in place of loss.
    double burst_start = 0;
    double burst_end = 1;
    double burst_loss = 1;
    double corruption = 0;  ///< the receiver finds a wrong checksum and drops the frame
    double duplication = 0;
    double reordering = 0;  ///< the frame is late by up to reordering_delay; others overtake it
    Time reordering_delay = std::chrono::microseconds(10);

    bool operator==(const Config&) const = default;
  };

  struct Fate {
    bool lost = false;
    bool corrupted = false;
    bool duplicated = false;
    Time delay{};
  };

  LinkFaults(const Config& config, std::uint64_t seed);

  Fate decide(const Frame& frame, Time now);
  /// On what is no frame of a job: faults of some classes of frames do not concern it.
  Fate decide_on_other(Time now);

 private:
  Fate draw();
  bool happens(double probability);
  bool next_is_lost();
  bool concerns(FrameClasses classes, Time now) const;
  void move_on_in_burst();
  Time draw_delay();

  Config config_;
  std::mt19937_64 random_;
  bool in_burst_ = false;
  std::uint64_t next_number_ = 0;
  std::size_t next_lost_ = 0;  // of config_.lost_frames, which are in order
};

/// What all faults of a link do to a frame together: the longest of their delays counts.
LinkFaults::Fate decide(std::span<LinkFaults> all, const Frame& frame, Time now);

}  // namespace ina::faults
