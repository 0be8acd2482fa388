// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hw/protocol/server/index_naming.hpp"
#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"

namespace ina {

/// The parameter server of DSA (III and IV). It completes tasks whose contributions preemption has
/// split between switch and server. If an entry is incomplete at its time-out, or a worker notifies
/// the server, reminders fetch and free the partial sums in the switches: the leaves' first, then
/// the root's. If that does not suffice, the server requests the missing workers' fragments. The
/// task of an entry that has only retransmissions may be complete. A reminder for it is sent only
/// if a retransmission is repeated; otherwise the entry is dropped after the longest time-out of a
/// worker. The server keeps its latest results for workers that lost them.
class DsaServer final : public ParameterServer {
 public:
  struct Config {
    Time reminder_min_timeout = std::chrono::milliseconds(1);
    std::uint32_t kept_results = 8192;
    Time workers_rto{};  ///< the workers' initial time-out, from which their longest one follows
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

  /// Sends the result of a task that was completed here to a worker that lacks it, with the
  /// aggregator index of the worker's packet. Returns false if the result is no longer kept.
  bool answer(const Frame& frame);
  void receive_notification(const Frame& frame, Time now);
  /// Sends reminders to all switches that may hold a partial sum of the task: to the root only
  /// after the leaves have answered, when all frames that they sent earlier have reached it. A
  /// further call asks again those that have not answered.
  void remind(Psn psn, Entry& entry, Time now);
  /// Bitmap, by branch, of the leaves whose workers are not all in the entry.
  std::uint32_t leaves_to_ask(const Entry& entry) const;
  void send_reminder(Psn psn, const Entry& entry, HostId destination);
  /// Handles a switch's answer to a reminder: that switch no longer holds a part of the task.
  void fetched(const Frame& frame, Entry& entry);

  BOOST_DESCRIBE_CLASS(DsaServer, (ParameterServer), (), (), (naming_, kept_))

  /// A branch that is a leaf switch, which adds its workers' gradients.
  struct Leaf {
    std::size_t branch;
    HostId addressee;  ///< the worker to which reminders for this leaf are addressed, and in whose
                       ///< name the leaf answers
  };
  static std::vector<Leaf> leaves_of(const ServerIdentity& identity);
  /// The leaf that answers in the name of this host; null if there is none.
  const Leaf* leaf_that_answers_as(HostId host) const;

  ValuePool& pool_;
  std::vector<Leaf> leaves_;
  RtoEstimator timeout_;
  Time retransmission_limit_;
  IndexNaming naming_;
  KeptResults kept_;
};

}  // namespace ina
