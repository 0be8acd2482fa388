// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "hw/cluster/spec/spec.hpp"
#include "switch-models/software/orders.hpp"

namespace ina::software {

/// A thread that reads orders from standard input until its end, or until the process is asked to
/// end. An invalid line ends the process, too.
class OrderListener {
 public:
  /// Reads nothing unless `wanted`. All must outlive this.
  OrderListener(bool wanted, const cluster::Spec& cluster, Orders& orders);
  ~OrderListener();
  OrderListener(const OrderListener&) = delete;
  OrderListener& operator=(const OrderListener&) = delete;

  /// Call this when the process ends. Throws InputError if an invalid line was the reason.
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
