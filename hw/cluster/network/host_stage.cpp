// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/network/host_stage.hpp"

#include <cmath>
#include <utility>

#include "hw/protocol/numeric/split_mix.hpp"

namespace ina::cluster {

namespace {

/// Uniform in [1 - spread, 1 + spread).
double factor_within(double spread, std::uint64_t random) {
  constexpr int kMantissaBits = 53;
  const double unit =
      std::ldexp(static_cast<double>(random >> (64 - kMantissaBits)), -kMantissaBits);
  return 1 + spread * (2 * unit - 1);
}

}  // namespace

HostStage::HostStage(const Config& config, std::uint64_t host_seed, Direction direction)
    : others_idle_at_(config.cores - 1),
      config_(config),
      reorders_(config.reorder && config.cores > 1 && direction == Direction::receive),
      draws_(config.spread != 0 || config.host_spread != 0),
      factor_(factor_within(config.host_spread, numeric::split_mix(host_seed, 1))),
      seed_(numeric::split_mix(host_seed, direction == Direction::send ? 2 : 3)) {}

/// `done`: time at which the core that was idle first has handled the packet.
Time HostStage::handled_by_one_of_several(Time done) {
  idle_at_ = done;
  Time& first_other = *std::ranges::min_element(others_idle_at_);
  if (first_other < idle_at_) std::swap(first_other, idle_at_);
  if (reorders_) return done;
  last_done_ = std::max(last_done_, done);
  return last_done_;
}

Time HostStage::draw_time(std::uint32_t bytes) {
  const double share =
      factor_ * factor_within(config_.spread, numeric::split_mix(seed_, ++next_number_));
  return Time(std::llround(static_cast<double>(config_.time_of(bytes).count()) * share));
}

}  // namespace ina::cluster
