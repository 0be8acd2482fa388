// SPDX-License-Identifier: BSD-3-Clause
// Orders to a switch process while it runs, a line each on standard input:
//   remove JOB        forget a job, which has failed, and free its aggregators
//   register JOB ID ROOT
//                     forget a job under the id that it had, and know it under this one, with its
//                     tree's root at this switch, by its number
//   down              a reboot begins: registers and jobs are lost, and so is what arrives
//   up                it has ended: frames of jobs are let in when they are registered again
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/cluster/topology.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::software {

struct Order {
  enum class Kind { remove_job, register_job, go_down, come_back };
  Kind kind{};
  JobId job = 0;  ///< in the cluster file; of remove_job and register_job
  JobId id = 0;   ///< in packets, from now on; this and the next: of register_job
  cluster::SwitchIndex root = 0;
};

/// Nothing if the line is none.
std::optional<Order> order_of(std::string_view line);

/// Carries orders to each core of a switch, in their order.
class Orders {
 public:
  explicit Orders(unsigned cores);

  void give(const Order& order);
  /// Calls `obey` with each one that the core has not taken yet.
  template <class Obey>
  void take(unsigned core, Obey&& obey) {
    Mailbox& mailbox = *mailboxes_[core];
    if (!mailbox.any.load(std::memory_order_relaxed)) [[likely]] {
      return;
    }
    for (const Order& order : taken(mailbox)) obey(order);
  }

 private:
  struct Mailbox {
    std::atomic<bool> any = false;
    std::mutex mutex;
    std::vector<Order> orders;
  };

  static std::vector<Order> taken(Mailbox& mailbox);

  std::vector<std::unique_ptr<Mailbox>> mailboxes_;  // by core
};

}  // namespace ina::software
