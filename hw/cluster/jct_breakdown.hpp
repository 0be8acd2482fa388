// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::cluster {

/// Where the time of one iteration went at one worker, in picoseconds; the parts add up to the
/// whole. Communication counts only while the worker does not compute; each gap between two results
/// is given to what the later one waited for. That another worker had to send again does not show.
struct JctBreakdown {
  std::int64_t compute{0};
  std::int64_t serialisation{0};  ///< results coming in at line rate
  std::int64_t queueing{0};       ///< queues and propagation: what no other part explains
  std::int64_t slot_wait{0};      ///< the window or pool was used up
  /// Another worker had not submitted its gradient yet, or this one began later.
  std::int64_t straggler{0};
  std::int64_t fallback{0};  ///< results that came through the server because of a collision
  std::int64_t recovery{0};  ///< results of packets that were sent more than once, or that the
                             ///< server had to ask for

  std::int64_t sum() const;
  JctBreakdown& operator+=(const JctBreakdown& other);
};

/// A part of the breakdown, and its name in tables and reports.
struct JctPart {
  std::string_view name;
  std::int64_t JctBreakdown::*of;
};
inline constexpr std::array<JctPart, 7> kJctParts{{{"compute", &JctBreakdown::compute},
                                                   {"serialisation", &JctBreakdown::serialisation},
                                                   {"queueing", &JctBreakdown::queueing},
                                                   {"slot_wait", &JctBreakdown::slot_wait},
                                                   {"straggler", &JctBreakdown::straggler},
                                                   {"fallback", &JctBreakdown::fallback},
                                                   {"recovery", &JctBreakdown::recovery}}};

inline std::int64_t JctBreakdown::sum() const {
  std::int64_t sum = 0;
  for (const JctPart& part : kJctParts) sum += this->*part.of;
  return sum;
}

inline JctBreakdown& JctBreakdown::operator+=(const JctBreakdown& other) {
  for (const JctPart& part : kJctParts) this->*part.of += other.*part.of;
  return *this;
}

}  // namespace ina::cluster
