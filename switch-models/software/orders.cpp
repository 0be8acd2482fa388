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

Orders::Orders(unsigned cores, const std::vector<JobId>& first_ids) {
  for (unsigned core = 0; core < cores; ++core) mailboxes_.push_back(std::make_unique<Mailbox>());
  for (const JobId id : first_ids) ids_.push_back({id});
}

IdsOfJobs Orders::ids() const {
  const std::lock_guard lock(ids_mutex_);
  return ids_;
}

void Orders::give(const Order& order) {
  if (order.kind == Order::Kind::register_job || order.kind == Order::Kind::begin_session) {
    const std::lock_guard lock(ids_mutex_);
    ids_[order.job].insert(order.id);
  }
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
