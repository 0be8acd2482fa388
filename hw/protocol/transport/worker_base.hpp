// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/prefetchable.hpp"
#include "hw/protocol/transport/fragment_tracker.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// Base class of the worker transports of all systems in which switches or servers add. It has the
/// worker's identity, the fragments' state, the time-out, the statistics, and a queue of frames
/// that precede new fragments. It also makes gradient packets. Each transport has its own window.
class alignas(kCacheLineBytes) WorkerBase : public WorkerTransport, public Prefetchable {
 public:
  void submit(const Tensor& tensor, Time) override { tracker_.submit(tensor); }
  Time deadline() const final;
  Time no_deadline_before(Time now) const final {
    return std::min(tracker_.oldest_sent(), now) + rto_.floor();
  }
  void expire(Time now) final;
  std::uint32_t in_flight() const final { return tracker_.in_flight(); }
  const WorkerStatistics& statistics() const override { return statistics_; }
  void fetch_ahead(unsigned step) const override;

 protected:
  /// `fields`: fields of a gradient packet that are the same for all fragments. `gradient_bytes`:
  /// size of a gradient packet on the wire; buffers of `pool` may have fewer values. `rto`:
  /// estimator that has no sample yet.
  WorkerBase(const WorkerIdentity& identity, const FormatFields& fields,
             std::uint16_t gradient_bytes, const RtoEstimator& rto, ValuePool& pool,
             ResultSink& sink);

  /// Makes the gradient packet of `psn`, which the caller sends now, and records the transmission.
  FragmentTracker::Fragment& send_gradient(Psn psn, Frame& out, Time now) {
    return send_gradient(psn, tracker_.tensor_of(psn), out, now);
  }

  /// Makes the gradient packet of the next unsent fragment, which is in `tensor`. If the server has
  /// already requested that fragment, the packet bypasses all aggregators: other workers' parts are
  /// at the server, so no aggregator would complete the sum.
  FragmentTracker::Fragment& send_next(const Tensor& tensor, Frame& out, Time now);

  /// Handles the server's request for a fragment, and remembers the request until the fragment can
  /// be sent. Requests beyond kMostRequests are dropped, so that a faulty server cannot exhaust the
  /// memory. A correct server repeats its requests.
  static constexpr std::size_t kMostRequests = 8192;
  void receive_request(const Frame& request);

  /// Handles a result: passes it to the sink if it is its fragment's first result. `hold`: reason
  /// why the worker sent no new fragment before the result arrived.
  FragmentTracker::Done deliver(const Frame& result, Hold hold, Time now);

  /// Called when the packet of `psn` has been in flight for a full time-out.
  virtual void timed_out(Psn psn, Time) { queue_retransmission(psn); }
  /// Handles a loss that results out of order revealed (ATP 3.7). `oldest`: the lost packet; empty
  /// if no packet is left to send again.
  void got_lost(std::optional<Psn> oldest);

  void queue_retransmission(Psn psn) { queue({PendingTransmission::Kind::retransmission, psn, 0}); }
  void queue_notification(Psn psn, std::uint32_t aggregator_index);
  /// The next frame that precedes new fragments, if there is one.
  bool next_pending(Frame& out, Time now) { return !pending_.empty() && send_pending(out, now); }
  /// Makes another copy of the gradient packet of a fragment in flight.
  virtual void make_retransmission(Psn psn, Frame& out, Time now) = 0;
  /// In a tensor with block floating point: writes the exponent to the gradient packet of `psn`,
  /// and the values if packets carry values.
  virtual void make_block(Psn, const Tensor&, Frame&) const {}

 private:
  struct PendingTransmission {
    enum class Kind : std::uint8_t { retransmission, answer, float_answer, notification };
    Kind kind;
    Psn psn;
    std::uint32_t aggregator_index;
    BOOST_DESCRIBE_CLASS(PendingTransmission, (), (kind, psn, aggregator_index), (), ())
  };
  BOOST_DESCRIBE_CLASS(WorkerBase, (), (), (tracker_), (pending_, asked_ahead_))

  FragmentTracker::Fragment& send_gradient(Psn psn, const Tensor& tensor, Frame& out, Time now);
  /// The gradient packet of `psn`, with the values of its tensor's source.
  void make_gradient(Psn psn, const Tensor& tensor, Frame& out, Time now) const;
  void make_header(Psn psn, const Tensor& tensor, FrameHeader& out, Time now) const;
  /// Reads the fragment from the tensor's source as floats.
  Values read_floats(Psn psn, const Tensor& tensor);
  void queue(const PendingTransmission& pending);
  void ask_ahead(Psn psn);
  bool take_asked_ahead(Psn psn);
  bool send_pending(Frame& out, Time now);
  /// Makes the answer to a request: a packet with the fragment, which bypasses all aggregators. A
  /// fragment that is no longer readable is one whose result all workers have. The answer is then a
  /// release, so that the server stops asking.
  void make_answer(const PendingTransmission& pending, Frame& out, Time now);
  /// Makes a notification or release.
  void make_control(FrameKind kind, Psn psn, std::uint32_t aggregator_index, Frame& out) const;

  // Members are in the order of use. The members of the fast path, to which those of the derived
  // transports belong, thus occupy few cache lines. The job and the first servers are in the
  // object's first cache line.
  std::vector<float> floats_;  // values of a fragment while read_floats() converts them

 protected:
  WorkerIdentity identity_;
  FragmentTracker tracker_;

 private:
  FrameHeader header_;  // fields of a gradient packet that are the same for all fragments
  ValuePool& pool_;
  ResultSink& sink_;
  // Null if the sink prefetches nothing.
  const Prefetchable* sink_fetches_ = dynamic_cast<const Prefetchable*>(&sink_);
  GrowingRing<PendingTransmission> pending_;
  std::vector<Psn> asked_ahead_;  // unsent fragments that the server requested, in ascending order

 protected:
  RtoEstimator rto_;
  WorkerStatistics statistics_;
};

// The fast path is defined here: it is compiled into one function for each transport.

inline Time WorkerBase::deadline() const {
  const Time sent = tracker_.oldest_sent();
  return sent == kNever ? kNever : rto_.deadline(sent);
}

inline void WorkerBase::make_header(Psn psn, const Tensor& tensor, FrameHeader& out,
                                    Time now) const {
  out = header_;
  out.psn = psn;
  out.destination = identity_.servers.of(psn);
  if (auto* const fields = std::get_if<AggregatorFields>(&out.fields)) {
    fields->priority = tensor.priority.at(now);
  }
}

inline void WorkerBase::make_gradient(Psn psn, const Tensor& tensor, Frame& out, Time now) const {
  make_header(psn, tensor, out, now);
  out.values = pool_.take();
  if (tensor.exponent_lead != 0) [[unlikely]]
    return make_block(psn, tensor, out);
  if (out.values) tensor.source->read(psn, {out.values.data(), pool_.count()});
}

inline FragmentTracker::Fragment& WorkerBase::send_gradient(Psn psn, const Tensor& tensor,
                                                            Frame& out, Time now) {
  ++statistics_.packets_sent;
  make_gradient(psn, tensor, out, now);
  return tracker_.sent(psn, now);
}

inline FragmentTracker::Fragment& WorkerBase::send_next(const Tensor& tensor, Frame& out,
                                                        Time now) {
  const Psn psn = tracker_.next_psn();
  FragmentTracker::Fragment& fragment = send_gradient(psn, tensor, out, now);
  if (!asked_ahead_.empty() && take_asked_ahead(psn)) {
    out.set(flag::resend | flag::answer);
    ++statistics_.answered_requests;
  }
  return fragment;
}

inline FragmentTracker::Done WorkerBase::deliver(const Frame& result, Hold hold, Time now) {
  const FragmentTracker::Done done = tracker_.done(result.psn);
  if (!done.first) {
    ++statistics_.duplicate_results;
    return done;
  }
  ++statistics_.results;
  sink_.fragment_complete(result, {done.transmissions > 1, hold, tracker_.last_sent(), done.sent},
                          now);
  if (done.tensor_complete) sink_.tensor_complete(done.tensor_first_psn, now);
  return done;
}

}  // namespace ina
