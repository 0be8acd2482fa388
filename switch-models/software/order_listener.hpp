// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "hw/cluster/spec/spec.hpp"
#include "switch-models/software/orders.hpp"

namespace ina::software {

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

 private:
  void listen();
  bool is_possible(const Order& order) const;

  const cluster::Spec& cluster_;
  Orders& orders_;
  std::optional<std::string> wrong_;
  std::thread thread_;
};

}  // namespace ina::software
