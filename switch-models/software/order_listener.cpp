// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/order_listener.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hw/processes/input_error.hpp"
#include "hw/processes/process.hpp"

namespace ina::software {

OrderListener::OrderListener(bool wanted, const cluster::Spec& cluster, Orders& orders)
    : cluster_(cluster), orders_(orders) {
  if (wanted) thread_ = std::thread([this] { listen(); });
}

OrderListener::~OrderListener() {
  processes::request_stop();
  if (thread_.joinable()) thread_.join();
}

void OrderListener::stop() {
  processes::request_stop();
  if (thread_.joinable()) thread_.join();
  if (!wrong_) return;
  throw processes::InputError(
      fmt::format("standard input: found \"{}\"; allowed: remove JOB, register JOB ID ROOT, down, "
                  "up, of {} jobs and "
                  "the switches that may be their roots",
                  *wrong_, cluster_.jobs.size()));
}

void OrderListener::listen() {
  while (const auto line = processes::read_line()) {
    const auto order = order_of(*line);
    if (!order || !is_possible(*order)) {
      wrong_ = *line;
      return processes::request_stop();
    }
    orders_.give(*order);
  }
}

/// Whether the job exists and its root may be at the given switch.
bool OrderListener::is_possible(const Order& order) const {
  if (order.kind != Order::Kind::remove_job && order.kind != Order::Kind::register_job) return true;
  if (order.job >= cluster_.jobs.size()) return false;
  if (order.kind == Order::Kind::remove_job) return true;
  const auto roots = cluster_.control().roots_of(cluster_.hosts(cluster_.jobs[order.job]));
  return std::ranges::find(roots, order.root) != roots.end();
}

}  // namespace ina::software
