// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/network/host_stage.hpp"

#include <cmath>

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
    : config_(config),
      reorders_(config.reorder && config.cores > 1 && direction == Direction::receive),
      factor_(factor_within(config.host_spread, numeric::split_mix(host_seed, 1))),
      seed_(numeric::split_mix(host_seed, direction == Direction::send ? 2 : 3)),
      idle_at_(config.cores) {}

std::optional<Time> HostStage::receive(std::uint32_t bytes, Time now) {
  while (!begins_.empty() && begins_.front() <= now) begins_.pop_front();
  if (begins_.size() == config_.queue) return std::nullopt;
  const Time begin = std::max(now, idle_at());
  if (begin > now) begins_.emplace_back(begin);
  return handle(bytes, begin);
}

Time HostStage::send(std::uint32_t bytes, Time now) {
  return handle(bytes, std::max(now, idle_at()));
}

Time HostStage::handle(std::uint32_t bytes, Time begin) {
  const Time done = begin + draw_time(bytes);
  idle_at_[next_core_] = done;
  find_next_core();
  if (reorders_) return done;
  last_done_ = std::max(last_done_, done);
  return last_done_;
}

void HostStage::find_next_core() {
  next_core_ = 0;
  for (std::size_t core = 1; core < idle_at_.size(); ++core) {
    if (idle_at_[core] < idle_at_[next_core_]) next_core_ = core;
  }
}

Time HostStage::draw_time(std::uint32_t bytes) {
  const Time nominal = config_.time_of(bytes);
  if (config_.spread == 0 && config_.host_spread == 0) return nominal;
  const double share =
      factor_ * factor_within(config_.spread, numeric::split_mix(seed_, ++next_number_));
  return Time(std::llround(static_cast<double>(nominal.count()) * share));
}

}  // namespace ina::cluster
