// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/priority.hpp"

namespace ina::policies {

/// Compares priorities between jobs, as in DSA III.B. Of two tasks of one job, the newer takes or
/// keeps the aggregator. The paper leaves that case open. Its formula (1) usually gives the newer
/// task the higher priority, since the remaining time shrinks and front layers are computed last.
///
/// A task that has lost its aggregator to a newer task of its own job reserves none again. On links
/// that preserve order, the newer task completes only after all workers have sent their packets of
/// the older task. All these packets then reach the server without a reminder. Exceptions: lost
/// frames, time-outs, a reminder that frees the newer task early, and collisions with other jobs.
class PriorityBetweenJobs {
 public:
  static constexpr std::string_view kName = "priority-between-jobs";
  static constexpr unsigned kComparisons = Priority::kComparisons;
  Decision collide(const CollisionWith<TaskOrders>& collision) {
    switch (collision.packet_is) {
      case TaskOrder::newer:
        return {true, collision.packet_priority};
      case TaskOrder::older:
        return {false, collision.aggregator_priority};
      case TaskOrder::other_job:
        break;
    }
    return Priority().collide(collision);
  }
};

}  // namespace ina::policies
