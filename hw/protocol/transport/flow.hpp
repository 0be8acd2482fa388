// SPDX-License-Identifier: BSD-3-Clause
// A reliable flow of frames from one worker to another. Frames are numbered, acknowledged, and
// retransmitted if lost. The number in flight is limited by a window that reacts to ECN marks and
// losses, and by the receiver's buffer. Each frame is delivered exactly once, in any order.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/dctcp_window.hpp"
#include "hw/protocol/transport/results_out_of_order.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"
#include "hw/protocol/wire/flow.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// The acknowledgement that a frame of the reverse flow contains.
struct Acknowledgement {
  std::uint32_t sequence;  ///< the last received frame, or the frame that it answers
  std::uint32_t before;    ///< all frames before this one have arrived
  std::uint16_t credit;    ///< number of frames, from `before` on, for which there is room
  bool marked;

  /// Reads the acknowledgement from a frame of a flow, or from a separate acknowledgement frame.
  static Acknowledgement of(const Frame& frame) {
    const std::uint32_t before = frame.flow().acknowledged_before;
    const bool answers = frame.kind == FrameKind::acknowledgement;
    return {answers ? frame.flow().sequence : before - 1, before, frame.flow().credit,
            frame.flow().ecn_echo};
  }
};

/// Maximum time for which a flow's receiver delays an acknowledgement. The sender's time-out, at
/// least min_rto and two round trips, leaves more time than that.
constexpr Time longest_silence(Time min_rto) { return min_rto / 4; }

class FlowSender {
 public:
  /// `credit`: initial size of the receiver's buffer, in frames.
  FlowSender(const CongestionWindow::Config& window, Time min_rto, Time first_rto,
             std::uint32_t credit)
      : window_(window), rto_(min_rto, first_rto), limit_(credit) {}

  /// Whether a new frame may be sent. One frame may always be in flight: if the receiver has no
  /// room, this frame makes it report its room again.
  bool may_send() const {
    if (!lost_.empty()) return false;
    return in_flight_ == 0 || (in_flight_ < window_.packets() && wire::is_before(next_, limit_));
  }
  /// Sequence number of the next new frame.
  std::uint32_t next_sequence() const { return next_; }
  /// Whether the receiver has room for more than `frames` after those that were sent.
  bool has_room_beyond(std::uint32_t frames) const {
    return wire::is_before(next_ + frames, limit_);
  }
  /// Numbers the frame, which the caller sends now, and keeps it until it is acknowledged. Sets a
  /// request for an immediate acknowledgement if no frame may follow, and twice per window, since
  /// the receiver may delay the acknowledgement of all frames after the last request. A window that
  /// was cut to half must not be full of frames whose acknowledgement may be delayed.
  void send(Frame& frame, Time now);
  /// Writes the next lost frame to `out`, if there is one and the window permits. A loss that
  /// acknowledgements revealed is resent at once, since these made room for it.
  bool resend(Frame& out, Time now);

  /// Handles an acknowledgement. Returns false if it acknowledges a frame that was never sent.
  bool receive(const Acknowledgement& acknowledgement, Time now);

  /// Time at which expire() is due; kNever if nothing is in flight.
  Time deadline() const {
    return transmissions_.empty() ? kNever : rto_.deadline(transmissions_.front().sent);
  }
  /// Handles the time-out: all frames in flight count as lost (RFC 6675, 5.1). If only the oldest
  /// one did, each of the others would double the time-out once more.
  void expire(Time now);

  std::uint32_t in_flight() const { return in_flight_; }
  std::uint32_t window() const { return window_.packets(); }

 private:
  enum class State : std::uint8_t { in_flight, lost, acknowledged };
  struct Outstanding {
    Frame frame;
    Time sent{};
    State state = State::in_flight;
    bool sent_once = true;
    BOOST_DESCRIBE_CLASS(Outstanding, (), (frame, sent, state, sent_once), (), ())
  };
  struct Transmission {
    std::uint32_t sequence;
    Time sent;
    BOOST_DESCRIBE_CLASS(Transmission, (), (sequence, sent), (), ())
  };
  struct Lost {
    std::uint32_t sequence;
    bool at_once;
    BOOST_DESCRIBE_CLASS(Lost, (), (sequence, at_once), (), ())
  };

  Outstanding* find(std::uint32_t sequence) {
    const std::uint32_t index = sequence - first_;
    return index < outstanding_.size() ? &outstanding_[index] : nullptr;
  }
  /// Whether the receiver had no room for the oldest frame in flight, which only asks for room.
  bool asks_for_room() const {
    return !transmissions_.empty() && !wire::is_before(transmissions_.front().sequence, limit_);
  }
  std::uint32_t settle(std::uint32_t sequence);
  void forget_settled();
  void lose_oldest(bool at_once);
  void drop_stale();

  DctcpWindow window_;
  RtoEstimator rto_;
  ResultsOutOfOrder order_;
  std::uint32_t first_ = 0;  // oldest unacknowledged frame
  std::uint32_t next_ = 0;   // next frame to be sent
  std::uint32_t limit_;      // first frame for which the receiver has no room
  std::uint32_t in_flight_ = 0;
  std::uint32_t unasked_ = 0;  // frames since the last one that requested an acknowledgement
  // Small, because a worker may have a thousand flows, each with a few frames in flight.
  static constexpr std::uint32_t kInitialCapacity = 4;
  GrowingRing<Outstanding, kInitialCapacity> outstanding_;  // from first_ on
  // Ordered by time; the first one is not stale.
  GrowingRing<Transmission, kInitialCapacity> transmissions_;
  GrowingRing<Lost, kInitialCapacity> lost_;

  BOOST_DESCRIBE_CLASS(FlowSender, (), (), (),
                       (window_, order_, first_, next_, limit_, in_flight_, unasked_, outstanding_,
                        transmissions_, lost_))
};

/// Tracks which frames of a flow have been received.
class FlowReceiver {
 public:
  /// `span`: number of frames, starting with the first missing one, that it can track.
  explicit FlowReceiver(std::uint32_t span);

  /// The first frame that has not arrived.
  std::uint32_t next() const { return next_; }
  bool has(std::uint32_t sequence) const;
  /// Whether it can track this frame.
  bool reaches(std::uint32_t sequence) const { return sequence - next_ < span_; }
  /// Marks a frame as received. Requires reaches(sequence) && !has(sequence).
  void take(std::uint32_t sequence);

 private:
  std::uint64_t& word(std::uint32_t sequence) { return words_[(sequence & (span_ - 1)) / kBits]; }
  std::uint64_t word(std::uint32_t sequence) const {
    return words_[(sequence & (span_ - 1)) / kBits];
  }
  static std::uint64_t bit(std::uint32_t sequence) {
    return std::uint64_t{1} << (sequence % kBits);
  }

  static constexpr std::uint32_t kBits = 64;

  std::uint32_t span_;  // a power of two
  std::uint32_t next_ = 0;
  std::vector<std::uint64_t> words_;  // bits of the frames from next_ on

  BOOST_DESCRIBE_CLASS(FlowReceiver, (), (), (), (next_, words_))
};

}  // namespace ina
