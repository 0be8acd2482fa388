// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hw/protocol/server/index_naming.hpp"
#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"

namespace ina {

/// DSA III and IV, the server: completes the tasks that preemption split. It reminds an entry that
/// is incomplete at its time-out, or that a worker notifies. The reminder asks the switches for
/// their partial aggregates (fetch and free), leaves before the servers' switch. If that does not
/// complete the entry, the server asks the missing workers for their fragments. The switch may
/// already have completed the task of an entry that only retransmissions made. Such an entry is
/// reminded when a retransmission is repeated, and forgotten once every worker in it must have had
/// its next time-out. The latest results are kept for workers that lost theirs.
class DsaServer final : public ParameterServer {
 public:
  struct Config {
    Time reminder_min_timeout = std::chrono::milliseconds(1);
    std::uint32_t kept_results = 8192;
    Time workers_rto{};  ///< the workers' first time-out; their longest one is a multiple of it
    wire::AddressingConfig addressing{.scheme = wire::AddressingScheme::hash};

    bool operator==(const Config&) const = default;
  };

  DsaServer(const ServerIdentity& identity, const Config& config, ValuePool& pool);

 private:
  void receive_late(Frame&& frame, Time now) override;
  void receive_control(const Frame& frame, Time now) override;
  Time entry_timeout(std::size_t doublings) const override { return timeout_.timeout(doublings); }
  void timed_out(Psn psn, Entry& entry, Time now) override;
  void entry_completed(Entry& entry, Frame& result, Time now) override;
  void entry_incomplete(const Frame& frame, Entry& entry, Merge merged, Time now) override;

  /// Answers a worker that lacks the result of a task that was completed here, through the
  /// aggregator of its packet. Returns false if the result is not kept.
  bool answer(const Frame& frame);
  void receive_notification(const Frame& frame, Time now);
  /// Asks all switches that may hold a part of the task. The leaves come first: frames that a leaf
  /// sent before its answer are then already at the root. Further calls ask those that have not
  /// answered.
  void remind(Psn psn, Entry& entry, Time now);
  /// Leaves of workers that are missing in the entry, as bits by branch.
  std::uint32_t leaves_to_ask(const Entry& entry) const;
  void send_reminder(Psn psn, const Entry& entry, HostId destination);
  /// A switch answered a reminder, and no longer holds a part of the task.
  void fetched(const Frame& frame, Entry& entry);

  BOOST_DESCRIBE_CLASS(DsaServer, (ParameterServer), (), (), (naming_, kept_))

  /// A branch whose switch adds up its workers.
  struct Leaf {
    std::size_t branch;
    HostId addressee;  ///< the worker to which its reminders are addressed, and in whose name it
                       ///< answers
  };
  static std::vector<Leaf> leaves_of(const ServerIdentity& identity);
  /// Null if no leaf does.
  const Leaf* leaf_that_answers_as(HostId host) const;

  ValuePool& pool_;
  std::vector<Leaf> leaves_;
  RtoEstimator timeout_;
  Time retransmission_limit_;
  IndexNaming naming_;
  KeptResults kept_;
};

}  // namespace ina
