// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hw/protocol/server/index_naming.hpp"
#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"

namespace ina {

/// DSA III and IV, the server: completes the tasks that preemption split. An entry that is not
/// complete within its time-out, or that a worker notifies, is reminded: the switch is asked for
/// its partial aggregate (fetch and free), leaves before the servers' switch, and if that does not
/// complete the entry, the workers that are missing are asked for their fragments. An entry that
/// only retransmissions made may be of a task that the switch has completed since: it is reminded
/// when one of them comes again, and forgotten once no worker waits for its next time-out any more.
/// The latest results are kept for workers that lost theirs.
class DsaServer final : public ParameterServer {
 public:
  struct Config {
    Time reminder_min_timeout = std::chrono::milliseconds(1);
    std::uint32_t kept_results = 8192;
    Time workers_rto{};  ///< the workers' first time-out, of which the longest is a multiple
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

  /// Answers a worker that lacks the result of a task that was completed here, by way of the
  /// aggregator that its packet had; false if it is not kept.
  bool answer(const Frame& frame);
  void receive_notification(const Frame& frame, Time now);
  /// Asks all switches that may hold a part of the task: the leaves first, since what a leaf sent
  /// before it answers is at the root before. Called again, it asks those that have not answered.
  void remind(Psn psn, Entry& entry, Time now);
  /// Those that have workers whom the entry lacks, as bits by branch.
  std::uint32_t leaves_to_ask(const Entry& entry) const;
  void send_reminder(Psn psn, const Entry& entry, HostId destination);
  /// A switch answered a reminder: it holds nothing of the task any more.
  void fetched(const Frame& frame, Entry& entry);

  BOOST_DESCRIBE_CLASS(DsaServer, (ParameterServer), (), (), (naming_, kept_))

  /// A branch whose switch adds up its workers.
  struct Leaf {
    std::size_t branch;
    HostId addressee;  ///< the worker to whom reminders for it go, and as whom it answers
  };
  static std::vector<Leaf> leaves_of(const ServerIdentity& identity);
  /// Null: no leaf does.
  const Leaf* leaf_that_answers_as(HostId host) const;

  ValuePool& pool_;
  std::vector<Leaf> leaves_;
  RtoEstimator timeout_;
  Time retransmission_limit_;
  IndexNaming naming_;
  KeptResults kept_;
};

}  // namespace ina
