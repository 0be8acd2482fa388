// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/worker_session.hpp"

#include <random>

namespace ina::ports {

namespace {

std::uint64_t draw_incarnation() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

registration::WorkerMembership::Config config_of(const cluster::Spec& cluster,
                                                 processes::WorkerId self) {
  const cluster::JobSpec& job = cluster.jobs[self.job];
  return {.job = self.job,
          .rank = self.rank,
          .workers = static_cast<std::uint16_t>(job.workers.size()),
          .host = job.workers[self.rank],
          .system = cluster.system_number(),
          .name_of_system = cluster::name_of_number,
          .values_per_packet = static_cast<std::uint16_t>(cluster.values_per_packet()),
          .cluster = cluster.checksum,
          .incarnation = draw_incarnation()};
}

}  // namespace

WorkerSession::WorkerSession(Port& port, const cluster::Spec& cluster, processes::WorkerId self)
    : port_(port),
      clock_(processes::RunClock::Clock::now()),
      membership_(config_of(cluster, self)) {
  port.on_registration(
      [this](const wire::RegistrationMessage& message) { membership_.receive(message, now()); });
}

void WorkerSession::step(Time now) {
  if (const auto message = membership_.next(now)) port_.send(*message);
}

void WorkerSession::join_turn(Idle& idle) {
  const std::size_t received = port_.receive([](const Frame&) {});
  step(now());
  if (received != 0) {
    idle.found_work();
  } else {
    idle.found_nothing();
  }
}

void WorkerSession::join_again() {
  auto config = membership_.config();
  ++config.incarnation;
  config.continues = true;
  membership_ = registration::WorkerMembership(config);
}

}  // namespace ina::ports
