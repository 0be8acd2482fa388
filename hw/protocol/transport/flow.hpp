// SPDX-License-Identifier: BSD-3-Clause
// A reliable flow of frames from one worker to another. Frames are numbered, acknowledged, and
// retransmitted if lost. A window that reacts to ECN marks and losses limits the number of frames
// in flight, and so does the receiver's buffer. Each frame is delivered exactly once, in any order.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/dctcp_window.hpp"
#include "hw/protocol/transport/results_out_of_order.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"
#include "hw/protocol/transport/tcp_window.hpp"
#include "hw/protocol/wire/flow.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// An acknowledgement, which travels in a frame of the reverse flow.
struct Acknowledgement {
  std::uint32_t sequence;  ///< a received frame: the answered one, or the one before `before`
  std::uint32_t before;    ///< all frames before this one have arrived
  std::uint16_t credit;    ///< number of frames, from `before` on, that the receiver has room for
  bool marked;

  /// Reads the acknowledgement from a frame of a flow, or from a separate acknowledgement frame.
  static Acknowledgement of(const Frame& frame) {
    const std::uint32_t before = frame.flow().acknowledged_before;
    const bool answers = frame.kind == FrameKind::acknowledgement;
    return {answers ? frame.flow().sequence : before - 1, before, frame.flow().credit,
            frame.flow().ecn_echo};
  }
  /// Writes the acknowledgement into a frame of the reverse flow. A frame of kind acknowledgement
  /// also needs `sequence`, which is the own number of any other frame.
  void write(Frame& frame) const {
    FlowFields& fields = frame.flow();
    fields.acknowledged_before = before;
    fields.credit = credit;
    fields.ecn_echo = marked;
  }
};

/// Maximum time for which a flow's receiver delays an acknowledgement. It is much shorter than the
/// sender's time-out, which is at least min_rto.
constexpr Time longest_silence(Time min_rto) { return min_rto / 4; }

/// The sending end of a flow. `Window`: DctcpWindow, or a class with the same functions. If it has
/// a function observe(), that is called before acknowledged().
template <class Window>
class FlowSenderWith {
 public:
  /// `credit`: initial size of the receiver's buffer, in frames.
  FlowSenderWith(const typename Window::Config& window, Time min_rto, Time first_rto,
                 std::uint32_t credit)
      : window_(window), rto_(min_rto, first_rto), limit_(credit) {}

  /// Whether a new frame may be sent. If none is in flight, one may be sent even if the receiver
  /// has no room: it makes the receiver report its room again.
  bool may_send() const {
    if (!lost_.empty()) return false;
    return in_flight_ == 0 || (in_flight_ < window_.packets() && wire::is_before(next_, limit_));
  }
  /// Sequence number of the next new frame.
  std::uint32_t next_sequence() const { return next_; }
  /// Whether the receiver has room for more than `frames` further frames.
  bool has_room_beyond(std::uint32_t frames) const {
    return wire::is_before(next_ + frames, limit_);
  }
  /// Numbers the frame, which the caller sends now, and keeps it until it is acknowledged. Requests
  /// an immediate acknowledgement if no frame may follow now, and twice per window. Without a
  /// request, the receiver may delay its acknowledgement. With two requests per window, a window
  /// that was cut to half still contains a frame with a request.
  void send(Frame& frame, Time now);
  /// Writes the next lost frame to `out`, if there is one and the window permits. The window does
  /// not delay a loss that acknowledgements revealed, since these have made room for it.
  bool resend(Frame& out, Time now);

  /// Handles an acknowledgement. Returns false if it acknowledges a frame that was never sent.
  bool receive(const Acknowledgement& acknowledgement, Time now);

  /// Time at which expire() is due; kNever if nothing is in flight.
  Time deadline() const {
    return transmissions_.empty() ? kNever : rto_.deadline(transmissions_.front().sent);
  }
  /// Handles the time-out: all frames in flight count as lost (RFC 6675, 5.1). If only the oldest
  /// frame counted as lost, each of the other frames would double the time-out once more.
  void expire(Time now);

  std::uint32_t in_flight() const { return in_flight_; }
  std::uint32_t window() const { return window_.packets(); }
  /// Whether every frame that was sent is acknowledged.
  bool is_settled() const { return outstanding_.empty(); }

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
  /// Whether the receiver has no room for the oldest frame in flight. That frame asks for room.
  bool asks_for_room() const {
    return !transmissions_.empty() && !wire::is_before(transmissions_.front().sequence, limit_);
  }
  std::uint32_t settle(std::uint32_t sequence);
  void forget_settled();
  void lose_oldest(bool at_once);
  void lose_sent_before(Time sent);
  void drop_stale();

  Window window_;
  RtoEstimator rto_;
  ResultsOutOfOrder order_;
  std::uint32_t first_ = 0;  // oldest unacknowledged frame
  std::uint32_t next_ = 0;   // next frame to be sent
  std::uint32_t limit_;      // first frame for which the receiver has no room
  std::uint32_t in_flight_ = 0;
  std::uint32_t unasked_ = 0;  // frames sent since the last request for an acknowledgement
  // Small, because a worker may have a thousand flows, each with a few frames in flight.
  static constexpr std::uint32_t kInitialCapacity = 4;
  GrowingRing<Outstanding, kInitialCapacity> outstanding_;  // from first_ on
  // Ordered by time. The first item is of a frame in flight, and its last transmission.
  GrowingRing<Transmission, kInitialCapacity> transmissions_;
  GrowingRing<Lost, kInitialCapacity> lost_;

  BOOST_DESCRIBE_CLASS(FlowSenderWith, (), (), (),
                       (window_, order_, first_, next_, limit_, in_flight_, unasked_, outstanding_,
                        transmissions_, lost_))
};

/// The sender of flows between workers.
using FlowSender = FlowSenderWith<DctcpWindow>;
extern template class FlowSenderWith<DctcpWindow>;
/// The sender of background traffic.
using TcpSender = FlowSenderWith<TcpWindow>;
extern template class FlowSenderWith<TcpWindow>;

/// Tracks which frames of a flow have been received.
class FlowReceiver {
 public:
  /// `span`: least number of frames that it can track, starting with the first missing frame.
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
