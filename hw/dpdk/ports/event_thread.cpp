// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/event_thread.hpp"

#include <rte_alarm.h>

#include <future>

namespace ina::ports {

namespace {

struct Order {
  const std::function<void()>& work;
  std::promise<void> done{};
};

}  // namespace

void run_in_event_thread(const std::function<void()>& work) {
  Order order{work};
  const auto carry_out = [](void* argument) {
    auto& given = *static_cast<Order*>(argument);
    given.work();
    given.done.set_value();
  };
  constexpr std::uint64_t kSoonUs = 1;
  if (rte_eal_alarm_set(kSoonUs, carry_out, &order) != 0) return work();
  order.done.get_future().wait();
}

}  // namespace ina::ports
