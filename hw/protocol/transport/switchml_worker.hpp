// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "hw/protocol/transport/agreed_exponents.hpp"
#include "hw/protocol/transport/results_out_of_order.hpp"
#include "hw/protocol/transport/worker_base.hpp"

namespace ina {

/// SwitchML, Algorithm 4. Fragment psn uses slot psn mod s in version (psn / s) mod 2, so the
/// version bit of a slot runs on through tensors and iterations, and a fragment may go out once the
/// one before it in its slot is done, whatever happens in other slots; in a tensor of block
/// floating point (NSDI) once its exponent is known, too.
///
/// DSA VII.C compares with "a modified SwitchML (using the same timeout and congestion control
/// mechanism of ATP)": adaptive_rto and congestion_control.
class SwitchmlWorker final : public WorkerBase {
 public:
  struct Config {
    std::uint32_t slots = 512;  ///< s, of this job
    std::uint32_t values_per_packet = 32;
    Time rto = std::chrono::milliseconds(1);  ///< doubles after repeated expiry
    bool adaptive_rto = false;                ///< from round trips, with `rto` as its floor
    /// ATP's, of at most as many packets as slots. Fragments then go out in the order of PSNs:
    /// where workers with windows went ahead in different slots, each could wait for the other's.
    /// So results come in order too, and three that do not tell of a loss.
    std::optional<CongestionWindow::Config> congestion_control = std::nullopt;
  };

  SwitchmlWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                 ResultSink& sink);

  void submit(const Tensor& tensor, Time now) override;
  void receive(const Frame& frame, Time now) override;
  bool next(Frame& out, Time now) override;

 private:
  /// Whether there is a fragment to send for the first time in order, and it may go.
  bool may_send_next() const;
  bool slot_is_free(Psn psn) const;
  void follow_congestion(const Frame& result, bool expected);
  bool exponent_is_known(Psn psn) const;
  /// The result of a fragment of a tensor of block floating point.
  FragmentTracker::Done deliver_block(const Frame& result, Time now);
  void make_update(Psn psn, Frame& out, Time now);
  void make_retransmission(Psn psn, Frame& out, Time now) override { make_update(psn, out, now); }
  void make_block(Psn psn, const Tensor& tensor, Frame& out) const override;

  BOOST_DESCRIBE_CLASS(SwitchmlWorker, (WorkerBase), (), (), (out_of_order_, ready_, exponents_))

  Config config_;
  ResultsOutOfOrder out_of_order_;
  // Without congestion control: unsent, their slots are free, their exponents known.
  GrowingRing<Psn> ready_;
  AgreedExponents exponents_;
};

}  // namespace ina
