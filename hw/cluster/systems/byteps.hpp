// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/among_workers.hpp"

namespace ina::cluster {

/// A parameter server beside each worker, each for its share of a tensor, as BytePS has them.
class Byteps : public AmongWorkers {
 public:
  static constexpr SystemTraits kTraits{.protocol = wire::Protocol::byteps,
                                        .title = "sharded parameter servers",
                                        .has_servers = false,
                                        .has_aggregators = false,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = false};

  const SystemTraits& traits() const override { return kTraits; }
  std::uint32_t steps(std::uint16_t) const override { return 2; }

  bool operator==(const Byteps&) const = default;

 protected:
  PeerSchedule schedule(std::uint16_t rank, std::uint16_t workers) const override {
    return sharded_schedule(rank, workers);
  }
};

}  // namespace ina::cluster
