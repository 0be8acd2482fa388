// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/windowed_worker.hpp"

namespace ina {

void WindowedWorker::receive(const Frame& frame, Time now) {
  const bool mine = frame.job == identity_.job;
  if (mine && frame.kind == FrameKind::result) {
    receive_result(frame, now);
  } else if (mine && frame.kind == FrameKind::fragment_request &&
             frame.source == identity_.server) {
    receive_request(frame);
  } else {
    ++statistics_.foreign_frames;
  }
}

std::optional<Psn> WindowedWorker::next_in_window() const {
  if (tracker_.in_flight() >= window_.packets()) return std::nullopt;
  return tracker_.next_unsent();
}

Time WindowedWorker::deadline() const {
  if (!tracker_.oldest_in_flight()) return kNever;
  return tracker_.oldest_sent() + backoff_.apply(rto_.timeout());
}

void WindowedWorker::expire(Time now) {
  bool expired = false;
  tracker_.take_sent_until(now - backoff_.apply(rto_.timeout()), [&](Psn psn) {
    timed_out(psn, now);
    expired = true;
  });
  if (expired) backoff_.expired();
}

}  // namespace ina
