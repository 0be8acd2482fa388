// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/priority.hpp"

namespace ina::policies {

/// Priority between jobs, as in DSA III.B; of two tasks of one job, the newer keeps the aggregator.
/// The paper does not decide the latter. Its formula (1) usually gives the newer task the higher
/// priority, since the remaining time shrinks and front layers are computed last.
///
/// A task that has lost its aggregator to its own job gets none again, unless frames are lost or
/// time-outs fire: on links that keep their order, the newer task completes after every worker has
/// sent the older one, whose contributions all reach the server without a reminder. A reminder may
/// free the newer task early, and another job may still split tasks.
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
