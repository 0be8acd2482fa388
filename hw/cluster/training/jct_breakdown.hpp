// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::cluster {

/// Breakdown of one iteration's time at one worker, in picoseconds. The parts add up to the whole.
/// Communication counts only while the worker does not compute. TrainingWorker divides the time
/// between two results among the causes of the second result's delay (docs/reference/results.md).
/// It sees another worker's retransmission only by the flag resend.
struct JctBreakdown {
  std::int64_t compute{0};
  std::int64_t serialisation{0};  ///< reception of results at line rate
  std::int64_t propagation{0};    ///< the unloaded path, without the result's serialisation
  std::int64_t queueing{0};     ///< waits behind other frames, and time that no other part explains
  std::int64_t slot_wait{0};    ///< waits for switch memory: for slots or a table of aggregators
  std::int64_t window_wait{0};  ///< waits while a congestion window or a send window was full
  std::int64_t straggler{0};    ///< waits until another worker submitted its gradient
  /// Waits until this worker submitted its own gradient, because of its jitter or because it began
  /// the iteration later than other workers.
  std::int64_t lateness{0};
  std::int64_t fallback{0};  ///< results that came through the server because of a collision
  std::int64_t recovery{0};  ///< results of packets that were retransmitted or that the server had
                             ///< to request; also work that a restart of the iteration discarded

  std::int64_t sum() const;
  JctBreakdown& operator+=(const JctBreakdown& other);
};

/// A part of the breakdown, with its name in tables and reports, and its description in the
/// documentation.
struct JctPart {
  std::string_view name;
  std::int64_t JctBreakdown::*of;
  std::string_view help;
};
inline constexpr std::array<JctPart, 10> kJctParts{
    {{"compute", &JctBreakdown::compute, "Time in which the last worker computed"},
     {"serialisation", &JctBreakdown::serialisation,
      "Transmission time, on the last worker's link, of the results that this worker waited for"},
     {"propagation", &JctBreakdown::propagation,
      "Time on the unloaded path, without the transmission time of `serialisation_us`"},
     {"queueing", &JctBreakdown::queueing,
      "Time in queues behind other frames, and all time that no other part explains"},
     {"slot_wait", &JctBreakdown::slot_wait,
      "Time in which the worker waited for memory of the switches: for a free slot, or for a free "
      "entry of the table of aggregators"},
     {"window_wait", &JctBreakdown::window_wait,
      "Time in which the worker could not send because its congestion window or its send window "
      "was full"},
     {"straggler", &JctBreakdown::straggler,
      "Time in which the worker waited until the last of the other workers submitted its gradient"},
     {"lateness", &JctBreakdown::lateness,
      "Time until the last worker submitted its own gradient, late because of `jitter` or because "
      "it began the iteration after other workers"},
     {"fallback", &JctBreakdown::fallback,
      "Time for results that came from the parameter server because of a collision"},
     {"recovery", &JctBreakdown::recovery,
      "Time for results that needed a retransmission or a reminder, and for work that was "
      "repeated"}}};

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
