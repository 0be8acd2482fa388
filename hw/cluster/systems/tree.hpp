// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/among_workers.hpp"

namespace ina::cluster {

/// All-reduce along two binary trees.
class Tree : public AmongWorkers {
 public:
  static constexpr SystemTraits kTraits{.protocol = wire::Protocol::tree,
                                        .title = "double binary tree all-reduce",
                                        .has_servers = false,
                                        .has_aggregators = false,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = false};

  const SystemTraits& traits() const override { return kTraits; }
  std::uint32_t steps(std::uint16_t workers) const override {
    return 2 * depth_of_double_tree(workers);
  }

  bool operator==(const Tree&) const = default;

 protected:
  PeerSchedule schedule(std::uint16_t rank, std::uint16_t workers) const override {
    return double_tree_schedule(rank, workers);
  }
};

}  // namespace ina::cluster
