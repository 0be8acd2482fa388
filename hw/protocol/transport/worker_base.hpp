// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/circular_buffer.hpp>
#include <optional>

#include "hw/protocol/transport/fragment_tracker.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// What the three worker transports share: identity, fragments, the making of gradient packets,
/// statistics, and a queue of fragments to send again.
class WorkerBase : public WorkerTransport {
 public:
  void submit(const Tensor& tensor, Time) override { tracker_.submit(tensor); }
  std::uint32_t in_flight() const override { return tracker_.in_flight(); }
  const WorkerStatistics& statistics() const override { return statistics_; }

 protected:
  /// `gradient_bytes`: of a gradient packet on the wire; `pool` may carry fewer values than it
  /// stands for.
  WorkerBase(const WorkerIdentity& identity, std::uint16_t gradient_bytes, ValuePool& pool,
             ResultSink& sink)
      : identity_(identity), pool_(pool), sink_(sink), gradient_bytes_(gradient_bytes) {}

  std::uint32_t own_bit() const { return 1U << identity_.rank; }

  /// The gradient packet of `psn`, with the values of its tensor's source.
  void make_gradient(Psn psn, const Tensor& tensor, Frame& out) const;

  /// Counts a gradient packet that goes out, and remembers when.
  FragmentTracker::Fragment& record_sent(Psn psn, Time now);

  /// The server asks for a fragment: remembered if it was sent before and the request does not have
  /// it. One that was not sent yet goes its ordinary way later.
  void receive_request(const Frame& request);
  /// The answer to the next request: the fragment, past all aggregators, straight to the server; or
  /// a release if it is no longer readable, which means that every worker has the result and nobody
  /// needs to ask.
  bool next_answer(Frame& out);
  /// A notification or release.
  void make_control(FrameKind kind, Psn psn, std::uint32_t aggregator_index, Frame& out) const;

  /// A result came: hands it over if it is the first of its fragment. Returns what became of the
  /// fragment.
  FragmentTracker::Done deliver(const Frame& result, Time now);

  void queue_retransmission(Psn psn);
  /// The next queued fragment that is still in flight.
  std::optional<Psn> next_retransmission();

  WorkerIdentity identity_;
  FragmentTracker tracker_;
  WorkerStatistics statistics_;

 private:
  struct Request {
    Psn psn;
    std::uint32_t aggregator_index;
    BOOST_DESCRIBE_CLASS(Request, (), (psn, aggregator_index), (), ())
  };
  BOOST_DESCRIBE_CLASS(WorkerBase, (), (), (tracker_), (retransmissions_, requested_))

  ValuePool& pool_;
  ResultSink& sink_;
  std::uint16_t gradient_bytes_;
  boost::circular_buffer<Psn> retransmissions_{64};
  boost::circular_buffer<Request> requested_{64};
};

}  // namespace ina
