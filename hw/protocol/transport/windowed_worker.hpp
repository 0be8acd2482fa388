// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/worker_base.hpp"

namespace ina {

/// Base class of the workers of all systems with parameter servers. It derives time-outs from round
/// trips, and answers the server's requests for fragments.
class WindowedWorker : public WorkerBase {
 protected:
  WindowedWorker(const WorkerIdentity& identity, std::uint16_t gradient_bytes,
                 const RtoEstimator& rto, ValuePool& pool, ResultSink& sink)
      : WorkerBase(identity,
                   AggregatorFields{.bitmap0 = identity.path.bitmap0,
                                    .bitmap1 = identity.path.bitmap1,
                                    .fan_in_degree0 = identity.path.fan_in_degree0,
                                    .fan_in_degree1 = identity.path.fan_in_degree1},
                   gradient_bytes, rto, pool, sink) {}

  /// Calls `receive_result()` if the frame is a result of the job.
  template <class ReceiveResult>
  void receive_by_kind(const Frame& frame, ReceiveResult&& receive_result) {
    const bool mine = frame.job == identity_.job;
    if (mine && frame.kind == FrameKind::result) [[likely]] {
      receive_result();
    } else if (mine && frame.kind == FrameKind::fragment_request &&
               frame.source == identity_.servers.of(frame.psn)) {
      receive_request(frame);
    } else {
      ++statistics_.rejected_frames;
    }
  }

  /// Applies Karn's rule to all workers: if any worker's retransmission is in the result, the round
  /// trip says nothing about the network, but would increase this worker's time-out.
  void sample_round_trip(const FragmentTracker::Done& done, const Frame& result, Time now) {
    if (done.transmissions == 1 && !result.has(flag::resend)) rto_.sample(now - done.sent);
  }

  /// Whether and why `window` prevents sending a new fragment.
  Hold hold_of(std::uint32_t window) const {
    if (tracker_.in_flight() < window) return Hold::none;
    return tracker_.next_tensor() == nullptr ? Hold::none : Hold::window;
  }

  /// The tensor of the next unsent fragment, if there is one and fewer than `window` packets are in
  /// flight; otherwise nullptr.
  const Tensor* next_within(std::uint32_t window) const {
    return tracker_.in_flight() < window ? tracker_.next_tensor() : nullptr;
  }

 private:
  BOOST_DESCRIBE_CLASS(WindowedWorker, (WorkerBase), (), (), ())
};

}  // namespace ina
