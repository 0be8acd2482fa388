// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::scenarios {

/// Where the time of one iteration went at one worker, in time steps; the parts add up to the
/// whole. Communication counts only while the worker does not compute; each gap between two results
/// is given to what the later one waited for. That another worker had to send again does not show.
struct JctParts {
  int64_t compute{0};
  int64_t serialisation{0};  ///< results coming in at line rate
  int64_t queueing{0};       ///< queues and propagation: what no other part explains
  int64_t slot_wait{0};      ///< the window or pool was used up
  int64_t straggler{
      0};  ///< another worker had not handed in its gradient yet, or this one began later
  int64_t fallback{0};  ///< results that came through the server because of a collision
  int64_t recovery{0};  ///< results of packets that were sent more than once, or that the server
                        ///< had to ask for

  int64_t sum() const {
    return compute + serialisation + queueing + slot_wait + straggler + fallback + recovery;
  }
};

}  // namespace ina::scenarios
