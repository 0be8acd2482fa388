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
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/cluster/network/topology.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::software {

struct Order {
  /// begin_session is not among the lines: it comes from the switch's Registrations.
  enum class Kind { remove_job, register_job, begin_session, go_down, come_back };
  Kind kind{};
  JobId job = 0;  ///< in the cluster file; of remove_job, register_job and begin_session
  JobId id = 0;   ///< in packets, from now on; of register_job and begin_session
  cluster::SwitchIndex root = 0;  ///< of register_job; a session keeps the tree
};

/// The ids that each job of a cluster has had in packets.
using IdsOfJobs = std::vector<std::set<JobId>>;

/// Nothing if the line is none.
std::optional<Order> order_of(std::string_view line);

/// Carries orders to each core of a switch, in their order.
class Orders {
 public:
  /// `first_ids`: those of the jobs when the switch starts, by their numbers.
  Orders(unsigned cores, const std::vector<JobId>& first_ids);

  /// Passes the order to all cores. Its job is one of the cluster.
  void give(const Order& order);
  /// With those of all orders so far.
  IdsOfJobs ids() const;
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
  mutable std::mutex ids_mutex_;
  IdsOfJobs ids_;
};

}  // namespace ina::software
