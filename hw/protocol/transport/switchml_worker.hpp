// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "hw/protocol/transport/agreed_exponents.hpp"
#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/results_out_of_order.hpp"
#include "hw/protocol/transport/worker_base.hpp"

namespace ina {

/// The worker of SwitchML (Algorithm 4). Fragment psn uses version (psn / s) mod 2 of slot psn mod
/// s, so a slot's version bit alternates across tensors and iterations. A fragment may be sent as
/// soon as the previous fragment in its slot is done, independently of other slots. In a tensor
/// with block floating point (NSDI), the fragment's exponent must be known, too.
///
/// adaptive_rto and congestion_control make the worker of DSA VII.C: "a modified SwitchML (using
/// the same timeout and congestion control mechanism of ATP)".
class SwitchmlWorker final : public WorkerBase {
 public:
  struct Config {
    std::uint32_t slots = 512;  ///< s, per job
    std::uint32_t values_per_packet = 32;
    Time rto = std::chrono::milliseconds(1);  ///< time-out; doubles at each expiry
    bool adaptive_rto = false;                ///< time-out follows round trips, at least `rto`
    /// ATP's congestion control, with a window of at most the number of slots. Fragments are then
    /// sent in the order of PSNs: workers whose windows are full of different slots could wait for
    /// each other for ever. Results arrive in the order of PSNs, too, so three out of order
    /// indicate a loss.
    std::optional<CongestionWindow::Config> congestion_control = std::nullopt;
    Time first_rto{};  ///< adaptive time-out before the first round trip, if larger than `rto`
  };

  SwitchmlWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                 ResultSink& sink);

  void submit(const Tensor& tensor, Time now) override;
  void receive(const Frame& frame, Time now) override;
  bool next(Frame& out, Time now) override;
  std::uint32_t window() const override { return window_.packets(); }

 private:
  /// Whether the next fragment in the order of PSNs is unsent and may be sent.
  bool may_send_next() const;
  bool slot_is_free(Psn psn) const;
  Hold hold() const;
  void follow_congestion(const Frame& result, bool expected);
  bool exponent_is_known(Psn psn) const;
  /// Handles the result of a fragment in a tensor with block floating point.
  FragmentTracker::Done deliver_block(const Frame& result, Time now);
  void make_update(Psn psn, Frame& out, Time now);
  void make_retransmission(Psn psn, Frame& out, Time now) override { make_update(psn, out, now); }
  void make_block(Psn psn, const Tensor& tensor, Frame& out) const override;

  BOOST_DESCRIBE_CLASS(SwitchmlWorker, (WorkerBase), (), (),
                       (window_, out_of_order_, ready_, exponents_))

  Config config_;
  CongestionWindow window_;
  ResultsOutOfOrder out_of_order_;
  // Unsent fragments with a free slot and a known exponent; unused with congestion control.
  GrowingRing<Psn> ready_;
  AgreedExponents exponents_;
};

// The fast path is defined here: callers that know the concrete class inline it into one function.

inline void SwitchmlWorker::receive(const Frame& frame, Time now) {
  if (frame.kind != FrameKind::result || frame.job != identity_.job) {
    ++statistics_.rejected_frames;
    return;
  }
  const bool expected = config_.congestion_control && tracker_.oldest_in_flight() == frame.psn;
  const std::uint32_t lead = exponents_.empty() ? 0 : exponents_.lead(frame.psn);
  const FragmentTracker::Done done =
      lead == 0 ? deliver(frame, hold(), now) : deliver_block(frame, now);
  if (!done.first) return;
  if (!config_.adaptive_rto) {
    rto_.end_doubling();
  } else if (done.transmissions == 1) {
    rto_.sample(now - done.sent);
  }
  if (config_.congestion_control) return follow_congestion(frame, expected);
  const Psn next_in_slot = frame.psn + config_.slots;
  if (tracker_.is_unsent(next_in_slot) && exponent_is_known(next_in_slot)) {
    ready_.emplace_back(next_in_slot);
  }
  if (lead == 0 || lead == config_.slots) return;
  const Psn next_in_row = frame.psn + lead;  // in another slot
  if (exponents_.has_next(frame.psn) && slot_is_free(next_in_row)) {
    ready_.emplace_back(next_in_row);
  }
}

inline bool SwitchmlWorker::exponent_is_known(Psn psn) const {
  const std::uint32_t lead = exponents_.empty() ? 0 : exponents_.lead(psn);
  return lead == 0 || exponents_.leads(psn) || tracker_.is_done(psn - lead);
}

inline bool SwitchmlWorker::slot_is_free(Psn psn) const {
  return psn < config_.slots || tracker_.is_done(psn - config_.slots);
}

inline bool SwitchmlWorker::may_send_next() const {
  const Psn psn = tracker_.next_psn();
  return tracker_.in_flight() < window_.packets() && tracker_.next_tensor() != nullptr &&
         slot_is_free(psn) && exponent_is_known(psn);
}

/// Reason why no new fragment is sent: Hold::memory if the window covers all slots.
inline Hold SwitchmlWorker::hold() const {
  const bool may_send = config_.congestion_control ? may_send_next() : !ready_.empty();
  if (may_send || !tracker_.has_unsent()) return Hold::none;
  const std::uint32_t window = window_.packets();
  return window < config_.slots && tracker_.in_flight() >= window ? Hold::window : Hold::memory;
}

inline bool SwitchmlWorker::next(Frame& out, Time now) {
  may_have_another_ = true;
  if (next_pending(out, now)) return true;
  if (config_.congestion_control) {
    if (!may_send_next()) return false;
    make_update(tracker_.next_psn(), out, now);
    return true;
  }
  if (ready_.empty()) return false;
  const Psn psn = ready_.front();
  ready_.pop_front();
  make_update(psn, out, now);
  may_have_another_ = !ready_.empty();
  return true;
}

inline void SwitchmlWorker::make_update(Psn psn, Frame& out, Time now) {
  send_gradient(psn, out, now);
  out.worker = wire::place_at_first_switch(identity_.path);
  SwitchmlFields& fields = out.switchml();
  fields.slot = psn % config_.slots;
  fields.version = (psn / config_.slots) % 2 != 0;
  out.destination =
      identity_.host;  // an update that no switch aggregates must not disturb other hosts
}

}  // namespace ina
