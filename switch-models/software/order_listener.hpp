// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "hw/cluster/spec.hpp"
#include "switch-models/software/orders.hpp"

namespace ina::software {

/// The ids that each job of a cluster has had in packets.
using IdsOfJobs = std::vector<std::set<JobId>>;

/// A thread that hears orders on standard input, until its end or that of the process is asked for.
/// A line that is no order is the end of the process too.
class OrderListener {
 public:
  /// Hears nothing unless `wanted`. All must outlive it.
  OrderListener(bool wanted, const cluster::Spec& cluster, Orders& orders);
  ~OrderListener();
  OrderListener(const OrderListener&) = delete;
  OrderListener& operator=(const OrderListener&) = delete;

  /// When the process ends. Throws InputError if that is for a line.
  void stop();
  /// When it has stopped.
  const IdsOfJobs& ids() const { return ids_; }

 private:
  void listen();
  bool note(const Order& order);

  const cluster::Spec& cluster_;
  Orders& orders_;
  IdsOfJobs ids_;
  std::optional<std::string> wrong_;
  std::thread thread_;
};

}  // namespace ina::software
