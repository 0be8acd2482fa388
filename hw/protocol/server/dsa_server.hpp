// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hw/protocol/server/index_naming.hpp"
#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"

namespace ina {

/// DSA's parameter server (sections III and IV of the paper). It completes tasks whose parts are
/// split between switch and server by preemption. After an entry's time-out or a worker's
/// notification, it sends reminders, which fetch and free the partial sums in the leaves and then
/// in the root. It then requests fragments that are still missing. An entry with only
/// retransmissions may be of a complete task. It is dropped after a worker's longest time-out,
/// unless a repeated retransmission or a notification shows that a worker needs the result. The
/// server keeps its latest results for workers that lost them.
class DsaServer final : public ParameterServer {
 public:
  struct Config {
    Time reminder_min_timeout = std::chrono::milliseconds(1);
    std::uint32_t kept_results = 8192;
    std::uint32_t values_per_packet = wire::kFragmentValues;  ///< the same as at the workers
    Time workers_rto{};  ///< the workers' initial time-out, which determines their longest one
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
  /// Sends reminders to all switches that may hold a partial sum of the task. The root gets one
  /// only after the leaves' answers, which arrive after all that the leaves sent to the root
  /// before. A further call asks the switches that have not answered yet.
  void remind(Psn psn, Entry& entry, Time now);
  /// Leaves (bits by branch) that have workers whose values are not in the entry.
  std::uint32_t leaves_to_ask(const Entry& entry) const;
  void send_reminder(Psn psn, const Entry& entry, HostId destination);
  /// Handles a switch's answer to a reminder. The switch no longer holds a part of the task.
  void fetched(const Frame& frame, Entry& entry);

  BOOST_DESCRIBE_CLASS(DsaServer, (ParameterServer), (), (), (naming_, kept_))

  /// A leaf switch, which adds its workers' gradients, as a branch of the root.
  struct Leaf {
    std::size_t branch;
    HostId addressee;  ///< the worker to which reminders for this leaf are addressed, and in whose
                       ///< name the leaf answers
  };
  static std::vector<Leaf> leaves_of(const ServerIdentity& identity);
  /// The leaf whose addressee is `host`, and which answers in its name; null if there is none.
  const Leaf* leaf_that_answers_as(HostId host) const;

  ValuePool& pool_;
  std::vector<Leaf> leaves_;
  RtoEstimator timeout_;
  Time retransmission_limit_;
  IndexNaming naming_;
  KeptResults kept_;
};

}  // namespace ina
