// SPDX-License-Identifier: BSD-3-Clause
// Orders to a running switch process, one line each on standard input:
//   remove JOB        remove a failed job, and free its aggregators
//   register JOB ID ROOT
//                     replace a job's id by this one; the root of its tree is the switch with
//                     this number
//   down              a reboot begins: registers and jobs are lost, and so are arriving frames
//   up                the reboot has ended: frames of jobs are admitted once these are registered
//                     again
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
  /// begin_session has no line: it comes from the switch's Registrations.
  enum class Kind { remove_job, register_job, begin_session, go_down, come_back };
  Kind kind{};
  JobId job = 0;  ///< number in the cluster file; for remove_job, register_job and begin_session
  JobId id = 0;   ///< new id in packets; for register_job and begin_session
  cluster::SwitchIndex root = 0;  ///< for register_job; a session keeps the tree
};

/// The ids that each job of a cluster has had in packets.
using IdsOfJobs = std::vector<std::set<JobId>>;

/// Parses a line; nothing if it is not an order.
std::optional<Order> order_of(std::string_view line);

/// Passes orders to each core of a switch, in their order.
class Orders {
 public:
  /// `first_ids`: ids of the jobs when the switch starts, by job number.
  Orders(unsigned cores, const std::vector<JobId>& first_ids);

  /// Passes the order to all cores. Its job must be one of the cluster.
  void give(const Order& order);
  /// The ids after all orders so far.
  IdsOfJobs ids() const;
  /// Calls `obey` with each order that the core has not taken yet.
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
