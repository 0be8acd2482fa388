// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/windowed_worker.hpp"

namespace ina {

void WindowedWorker::receive(const Frame& frame, Time now) {
  const bool mine = frame.job == identity_.job;
  if (mine && frame.kind == FrameKind::result) {
    receive_result(frame, now);
  } else if (mine && frame.kind == FrameKind::fragment_request &&
             frame.source == identity_.servers.of(frame.psn)) {
    receive_request(frame);
  } else {
    ++statistics_.rejected_frames;
  }
}

}  // namespace ina
