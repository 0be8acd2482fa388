// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"

namespace ina {

/// DSA III and IV, the server: completes the tasks that preemption split. An entry that is not
/// complete within its time-out, or that a worker notifies, is reminded: the switch is asked for
/// its partial aggregate (fetch and free), and if that does not complete the entry, the workers
/// that are missing are asked for their fragments.
class DsaServer final : public ParameterServer {
 public:
  struct Config {
    Time reminder_min_timeout = std::chrono::milliseconds(1);
  };

  DsaServer(const ServerIdentity& identity, const Config& config, ValuePool& pool);

 private:
  void receive_late(Frame&& frame, Time now) override;
  void receive_control(const Frame& frame, Time now) override;
  Time entry_timeout() const override { return timeout_.timeout(); }
  void timed_out(Psn psn, Entry& entry, Time now) override { remind(psn, entry, now); }
  void entry_completed(Entry& entry, Frame& result, Time now) override;
  void entry_incomplete(const Frame& frame, Entry& entry, Merge merged) override;

  void receive_notification(const Frame& frame, Time now);
  void remind(Psn psn, Entry& entry, Time now);

  BOOST_DESCRIBE_CLASS(DsaServer, (ParameterServer), (), (), ())

  ValuePool& pool_;
  RtoEstimator timeout_;
};

}  // namespace ina
