// SPDX-License-Identifier: BSD-3-Clause
// A reliable flow of frames from one worker to another. Frames are numbered, acknowledged, and
// retransmitted when lost. They stay within a window that reacts to marks and losses, and within
// the receiver's room. They arrive in any order, each once.
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

/// Acknowledgement in a frame of the reverse flow.
struct Acknowledgement {
  std::uint32_t sequence;  ///< the last received frame, or the frame that is answered
  std::uint32_t before;    ///< all frames before this one have arrived
  std::uint16_t credit;    ///< number of frames, starting with that one, for which there is room
  bool marked;

  /// Reads a separate acknowledgement, or that of any other frame of a flow.
  static Acknowledgement of(const Frame& frame) {
    const std::uint32_t before = frame.flow().acknowledged_before;
    const bool answers = frame.kind == FrameKind::acknowledgement;
    return {answers ? frame.flow().sequence : before - 1, before, frame.flow().credit,
            frame.flow().ecn_echo};
  }
};

/// Longest delay of an acknowledgement by a flow's receiver. It is less than the margin of the
/// sender's time-out, which is at least min_rto and two round trips.
constexpr Time longest_silence(Time min_rto) { return min_rto / 4; }

class FlowSender {
 public:
  /// `credit`: initial room of the receiver, in frames.
  FlowSender(const CongestionWindow::Config& window, Time min_rto, Time first_rto,
             std::uint32_t credit)
      : window_(window), rto_(min_rto, first_rto), limit_(credit) {}

  /// Whether a new frame may be sent. One frame may always be in flight, so that a receiver without
  /// room is asked again.
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
  /// Numbers the frame, which is sent now, and keeps it until it is acknowledged. It requests an
  /// immediate acknowledgement if no other frame may follow, and twice per window. The receiver may
  /// delay the acknowledgement of frames after the last request, and a cut leaves at least half of
  /// the window, which must not be full of such frames.
  void send(Frame& frame, Time now);
  /// Returns the next lost frame, if there is one and the window permits. A loss that
  /// acknowledgements showed is resent at once, as these made room for it.
  bool resend(Frame& out, Time now);

  /// Returns false if it acknowledges a frame that was never sent.
  bool receive(const Acknowledgement& acknowledgement, Time now);

  /// Deadline of the next expire(); kNever if nothing is in flight.
  Time deadline() const {
    return transmissions_.empty() ? kNever : rto_.deadline(transmissions_.front().sent);
  }
  /// All frames in flight then count as lost (RFC 6675 5.1). If only the oldest one did, each of
  /// the others would double the time-out once more.
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
  /// Whether the frame in flight is one for which the receiver had no room.
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
  // A worker may have a thousand flows, each with a few frames in flight.
  static constexpr std::uint32_t kInitialCapacity = 4;
  GrowingRing<Outstanding, kInitialCapacity> outstanding_;  // from first_ on
  // Ordered by time; the first one is not stale.
  GrowingRing<Transmission, kInitialCapacity> transmissions_;
  GrowingRing<Lost, kInitialCapacity> lost_;

  BOOST_DESCRIBE_CLASS(FlowSender, (), (), (),
                       (window_, order_, first_, next_, limit_, in_flight_, unasked_, outstanding_,
                        transmissions_, lost_))
};

/// The received frames of a flow.
class FlowReceiver {
 public:
  /// `span`: range of frames that it can track, starting with the first missing one.
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
