// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "hw/cluster/spec/spec.hpp"
#include "switch-models/software/orders.hpp"

namespace ina::software {

/// A thread that reads orders from standard input until the end of the input, or until the process
/// is asked to end. An invalid line makes the process end.
class OrderListener {
 public:
  /// Reads standard input only if `wanted`. The references must outlive this.
  OrderListener(bool wanted, const cluster::Spec& cluster, Orders& orders);
  ~OrderListener();
  OrderListener(const OrderListener&) = delete;
  OrderListener& operator=(const OrderListener&) = delete;

  /// Call this when the process ends. Throws InputError if it ends because of an invalid line.
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
