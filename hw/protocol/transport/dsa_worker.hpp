// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/windowed_worker.hpp"

namespace ina {

/// DSA III to VI, the worker: a window of gradient packets with priorities; results come from the
/// switch or from the server, in any order; after three retransmissions it asks the server to run
/// its reminder. A result for a fragment that was sent more than once is followed by a release: a
/// late copy may have reserved an aggregator after the completion, and would keep it if nothing
/// collided there (the paper's memory leak).
class DsaWorker final : public WindowedWorker {
 public:
  struct Config {
    std::uint32_t aggregators = 1;
    CongestionWindow::Config window{196, 0, true};
    Time min_rto = std::chrono::milliseconds(1);
  };

  DsaWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
            ResultSink& sink);

  bool next(Frame& out, Time now) override;

 private:
  struct Control {
    FrameKind kind;  // notification or release
    Psn psn;
    BOOST_DESCRIBE_CLASS(Control, (), (kind, psn), (), ())
  };
  BOOST_DESCRIBE_CLASS(DsaWorker, (WindowedWorker), (), (), (controls_))

  void receive_result(const Frame& frame, Time now) override;
  void timed_out(Psn psn, Time now) override;
  void send(Psn psn, Frame& out, Time now);
  void queue_control(Control control);

  boost::circular_buffer<Control> controls_{64};
};

}  // namespace ina
