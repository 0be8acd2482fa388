// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/backoff.hpp"
#include "hw/protocol/transport/worker_base.hpp"

namespace ina {

/// SwitchML, Algorithm 4. Fragment psn uses slot psn mod s in version (psn / s) mod 2, so the
/// version bit of a slot runs on through tensors and iterations, and a fragment may go out once the
/// one before it in its slot is done, whatever happens in other slots.
class SwitchmlWorker final : public WorkerBase {
 public:
  struct Config {
    std::uint32_t slots = 512;  ///< s, of this job
    std::uint32_t values_per_packet = 32;
    Time rto = std::chrono::milliseconds(1);  ///< fixed; doubles after repeated expiry
  };

  SwitchmlWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                 ResultSink& sink);

  void submit(const Tensor& tensor, Time now) override;
  void receive(const Frame& frame, Time now) override;
  bool next(Frame& out, Time now) override;
  Time deadline() const override;
  void expire(Time now) override;
  std::uint32_t window() const override { return config_.slots; }

 private:
  bool slot_is_free(Psn psn) const;
  void make_update(Psn psn, Frame& out, Time now);
  void make_retransmission(Psn psn, Frame& out, Time now) override { make_update(psn, out, now); }

  BOOST_DESCRIBE_CLASS(SwitchmlWorker, (WorkerBase), (), (), (ready_))

  Config config_;
  Backoff backoff_;
  GrowingRing<Psn> ready_;  // unsent, their slots are free
};

}  // namespace ina
