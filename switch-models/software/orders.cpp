// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/orders.hpp"

#include <charconv>

namespace ina::software {

std::optional<Order> order_of(std::string_view line) {
  constexpr std::string_view kRemove = "remove ";
  if (line == "down") return Order{Order::Kind::go_down};
  if (line == "up") return Order{Order::Kind::come_back};
  if (!line.starts_with(kRemove)) return std::nullopt;
  Order order{Order::Kind::remove_job};
  const char* const end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + kRemove.size(), end, order.job);
  if (error != std::errc() || stop != end) return std::nullopt;
  return order;
}

Orders::Orders(unsigned cores) {
  for (unsigned core = 0; core < cores; ++core) mailboxes_.push_back(std::make_unique<Mailbox>());
}

void Orders::give(const Order& order) {
  for (const auto& mailbox : mailboxes_) {
    const std::lock_guard lock(mailbox->mutex);
    mailbox->orders.push_back(order);
    mailbox->any = true;
  }
}

std::vector<Order> Orders::taken(Mailbox& mailbox) {
  const std::lock_guard lock(mailbox.mutex);
  mailbox.any = false;
  return std::exchange(mailbox.orders, {});
}

}  // namespace ina::software
