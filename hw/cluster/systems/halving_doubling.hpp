// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>

#include "hw/cluster/systems/among_workers.hpp"

namespace ina::cluster {

/// All-reduce by recursive halving and doubling.
class HalvingDoubling : public AmongWorkers {
 public:
  static constexpr SystemTraits kTraits{.protocol = wire::Protocol::halving_doubling,
                                        .title = "halving-doubling all-reduce",
                                        .has_servers = false,
                                        .has_aggregators = false,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = false};

  const SystemTraits& traits() const override { return kTraits; }
  std::uint32_t steps(std::uint16_t workers) const override {
    const bool has_guests = !std::has_single_bit(workers);
    return 2 * (static_cast<std::uint32_t>(std::bit_width(workers)) - 1U + (has_guests ? 1 : 0));
  }

  bool operator==(const HalvingDoubling&) const = default;

 protected:
  PeerSchedule schedule(std::uint16_t rank, std::uint16_t workers) const override {
    return halving_doubling_schedule(rank, workers);
  }
};

}  // namespace ina::cluster
