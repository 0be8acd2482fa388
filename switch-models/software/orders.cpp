// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/orders.hpp"

#include <boost/algorithm/string/split.hpp>
#include <vector>

#include "hw/fields/read_number.hpp"

namespace ina::software {

using fields::read_number;

std::optional<Order> order_of(std::string_view line) {
  constexpr std::string_view kRemove = "remove ";
  constexpr std::string_view kRegister = "register ";
  if (line == "down") return Order{Order::Kind::go_down};
  if (line == "up") return Order{Order::Kind::come_back};
  Order order;
  if (line.starts_with(kRemove)) {
    order.kind = Order::Kind::remove_job;
    return read_number(line.substr(kRemove.size()), order.job) ? std::optional(order)
                                                               : std::nullopt;
  }
  if (!line.starts_with(kRegister)) return std::nullopt;
  order.kind = Order::Kind::register_job;
  std::vector<std::string_view> numbers;
  boost::algorithm::split(numbers, line.substr(kRegister.size()), [](char c) { return c == ' '; });
  const bool whole = numbers.size() == 3 && read_number(numbers[0], order.job) &&
                     read_number(numbers[1], order.id) && read_number(numbers[2], order.root);
  return whole ? std::optional(order) : std::nullopt;
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
