// SPDX-License-Identifier: BSD-3-Clause
// Orders to a running switch process, one line each on standard input:
//   remove JOB        remove a failed job, and free its aggregators
//   register JOB ID ROOT
//                     give the job a new id in packets; the root of its tree is the switch with
//                     number ROOT
//   down              begin a reboot: registers and jobs are lost, and so are arriving frames
//   up                end the reboot: frames of a job are admitted again once the job is
//                     registered again
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
  /// No input line produces begin_session: the switch's Registrations give this order.
  enum class Kind { remove_job, register_job, begin_session, go_down, come_back };
  Kind kind{};
  JobId job = 0;  ///< number in the cluster file; for remove_job, register_job and begin_session
  JobId id = 0;   ///< new id in packets; for register_job and begin_session
  cluster::SwitchIndex root = 0;  ///< for register_job; begin_session does not change the tree
};

/// By job number: all ids that the job has had in packets so far.
using IdsOfJobs = std::vector<std::set<JobId>>;

/// Parses a line. Returns nothing if it is not an order.
std::optional<Order> order_of(std::string_view line);

/// Queues orders for each core of a switch. Every core takes them in the order of give().
class Orders {
 public:
  /// `first_ids`: ids of the jobs when the switch starts, by job number.
  Orders(unsigned cores, const std::vector<JobId>& first_ids);

  /// Passes the order to all cores. Its job must be a job of the cluster.
  void give(const Order& order);
  /// All ids of each job, including those of orders that no core has taken yet.
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
