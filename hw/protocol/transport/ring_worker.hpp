// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/transport/flow.hpp"
#include "hw/protocol/transport/ring_schedule.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// The worker of a ring all-reduce, which needs neither switch nor server: a flow from the worker
/// before it and one to the worker behind. What a fragment needs here is done as soon as it comes,
/// not when its chunk is complete, and it goes on at once. Of what is waiting to go out, fragments
/// that came go before what begins here of later tensors, and behind what begins here of their own:
/// a chunk that begins late keeps the whole ring waiting.
///
/// A fragment of a tensor that was not submitted here waits, in a buffer of bounded size. That
/// stops nobody for ever: a flow carries all of an iteration before anything of the next one, and
/// within an iteration no worker waits for results before it submits.
class RingWorker final : public WorkerTransport {
 public:
  struct Config {
    CongestionWindow::Config window;
    Time min_rto = std::chrono::milliseconds(1);
    std::uint32_t values_per_packet = wire::kMostRingValues;
    std::uint32_t receive_buffer = 1024;  ///< packets of tensors that are yet to be submitted

    bool operator==(const Config&) const = default;
  };
  /// Acknowledgements have 16 bits for what is left of it.
  static constexpr std::uint32_t kMostReceiveBuffer = 65'535;

  /// The identity must name the members, of which there are two at least.
  RingWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
             ResultSink& sink);

  void submit(const Tensor& tensor, Time now) override;
  void receive(const Frame& frame, Time now) override;
  bool next(Frame& out, Time now) override;
  Time deadline() const override { return sender_.deadline(); }
  void expire(Time now) override { sender_.expire(now); }
  std::uint32_t in_flight() const override { return sender_.in_flight(); }
  std::uint32_t window() const override { return sender_.window(); }
  const WorkerStatistics& statistics() const override { return statistics_; }

 private:
  struct Active {
    Tensor tensor;
    std::uint32_t remaining;      ///< fragments without a result
    RingSchedule::Fragments own;  ///< that begin here and were not sent
    bool holds(Psn psn) const { return psn - tensor.first_psn < tensor.fragments; }
    BOOST_DESCRIBE_CLASS(Active, (), (tensor, remaining), (), ())
  };
  /// A fragment on its way to the next worker.
  struct Forward {
    Values values;
    Psn psn;
    FrameKind kind;
    std::uint8_t flags;
    BOOST_DESCRIBE_CLASS(Forward, (), (values, psn, kind, flags), (), ())
  };
  struct Acknowledgement {
    std::uint32_t sequence;
    bool marked;
    BOOST_DESCRIBE_CLASS(Acknowledgement, (), (sequence, marked), (), ())
  };

  Active* find(Psn psn);
  void receive_data(const Frame& frame, Time now);
  void acknowledge(std::uint32_t sequence, bool marked) {
    acknowledgements_.emplace_back(sequence, marked);
  }
  void acknowledge_nothing() { acknowledge(receiver_.next() - 1, false); }
  void take_held(Time now);
  void process(const Frame& frame, Active& active, Time now);
  Values read(Psn psn, const Tensor& tensor) const;
  Values add_own(const Frame& frame, const Tensor& tensor) const;
  void complete(const Forward& result, Active& active, Time now);

  Frame frame_to(HostId destination, FrameKind kind, std::uint16_t bytes) const;
  void make_acknowledgement(Frame& out);
  void make(const Forward& forward, Frame& out) const;
  std::optional<Forward> next_forward();

  WorkerIdentity identity_;
  RingSchedule schedule_;
  HostId previous_;
  HostId next_;
  std::uint32_t receive_buffer_;
  std::uint16_t data_bytes_;
  ValuePool& pool_;
  ResultSink& sink_;
  FlowSender sender_;
  FlowReceiver receiver_;
  std::vector<Active> active_;  // in the order of PSNs
  GrowingRing<Frame> held_;     // of tensors that were not submitted
  GrowingRing<Forward> forwards_;
  GrowingRing<Acknowledgement> acknowledgements_;
  WorkerStatistics statistics_;

  BOOST_DESCRIBE_CLASS(RingWorker, (), (), (),
                       (sender_, receiver_, active_, held_, forwards_, acknowledgements_))
};

}  // namespace ina
