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

/// What the transports of in-network aggregation and of parameter servers share: identity,
/// fragments, the making of gradient packets, a time-out, statistics, and a queue of what goes out
/// before anything new does. Which window lets packets go is for each of them.
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
  /// `gradient_bytes`: of a gradient packet on the wire; `pool` may carry fewer values than it
  /// stands for; `rto`: as it is before any round trip.
  /// `fields`: of a gradient packet, without what differs from fragment to fragment.
  WorkerBase(const WorkerIdentity& identity, const FormatFields& fields,
             std::uint16_t gradient_bytes, const RtoEstimator& rto, ValuePool& pool,
             ResultSink& sink);

  /// Makes the gradient packet of `psn` that goes out now, counts it and remembers when.
  FragmentTracker::Fragment& send_gradient(Psn psn, Frame& out, Time now) {
    return send_gradient(psn, tracker_.tensor_of(psn), out, now);
  }

  /// The next gradient packet, of `tensor`, for the first time. If the server asked for it before,
  /// it goes past all aggregators: the others' part is at the server, and no aggregator would be
  /// full.
  FragmentTracker::Fragment& send_next(const Tensor& tensor, Frame& out, Time now);

  /// The server asks for a fragment: remembered if the request does not have it. What is beyond
  /// kMostRequests is forgotten: a server asks again, and one that has gone mad takes no memory.
  static constexpr std::size_t kMostRequests = 8192;
  void receive_request(const Frame& request);

  /// A result came, and `hold` was why nothing new was sent: hands it over if it is the first of
  /// its fragment. Returns what became of the fragment.
  FragmentTracker::Done deliver(const Frame& result, Hold hold, Time now);

  /// The packet of `psn` has been in flight for the whole time-out.
  virtual void timed_out(Psn psn, Time) { queue_retransmission(psn); }
  /// Results out of order told that a packet got lost (ATP 3.7), the one sent first; none: it has
  /// been sent again already.
  void got_lost(std::optional<Psn> oldest);

  void queue_retransmission(Psn psn) { queue({PendingTransmission::Kind::retransmission, psn, 0}); }
  void queue_notification(Psn psn, std::uint32_t aggregator_index);
  /// The next frame that goes out before anything new does, if there is one.
  bool next_pending(Frame& out, Time now) { return !pending_.empty() && send_pending(out, now); }
  /// The gradient packet of a fragment in flight, once more.
  virtual void make_retransmission(Psn psn, Frame& out, Time now) = 0;
  /// Of a tensor of block floating point: puts exponent and values, if they are carried, into the
  /// gradient packet of `psn`.
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
  /// The fragment of the tensor's source as floats.
  Values read_floats(Psn psn, const Tensor& tensor);
  void queue(const PendingTransmission& pending);
  void ask_ahead(Psn psn);
  bool take_asked_ahead(Psn psn);
  bool send_pending(Frame& out, Time now);
  /// The answer to a request: the fragment, past all aggregators, straight to the server; or a
  /// release if it is no longer readable, which means that every worker has the result and nobody
  /// needs to ask.
  void make_answer(const PendingTransmission& pending, Frame& out, Time now);
  /// A notification or release.
  void make_control(FrameKind kind, Psn psn, std::uint32_t aggregator_index, Frame& out) const;

  // In the order of use, whoever may use it: what every packet needs stands from the path on, and
  // goes on in the transports, so that it fills few cache lines; the job and the first servers are
  // in the first one of the object.
  std::vector<float> floats_;  // a fragment, while it is read

 protected:
  WorkerIdentity identity_;
  FragmentTracker tracker_;

 private:
  FrameHeader header_;  // of a gradient packet, without what differs from fragment to fragment
  ValuePool& pool_;
  ResultSink& sink_;
  // Null: the sink fetches nothing.
  const Prefetchable* sink_fetches_ = dynamic_cast<const Prefetchable*>(&sink_);
  GrowingRing<PendingTransmission> pending_;
  std::vector<Psn> asked_ahead_;  // ascending: that the server asked for, and that were not sent

 protected:
  RtoEstimator rto_;
  WorkerStatistics statistics_;
};

// What every packet needs stands here: it is compiled into one function for each transport.

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
