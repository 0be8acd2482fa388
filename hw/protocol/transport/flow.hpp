// SPDX-License-Identifier: BSD-3-Clause
// A reliable flow of frames from one worker to another: numbered, acknowledged, sent again when
// they are lost, within a window that follows marks and losses, and within what the receiver has
// room for. Frames come in any order, each once.
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

/// What a frame says of the flow that comes the other way.
struct Acknowledgement {
  std::uint32_t sequence;  ///< of the frame that came last, or that it answers
  std::uint32_t before;    ///< all frames before this one are there
  std::uint16_t credit;    ///< how many from that one on there is room for
  bool marked;

  /// Of an acknowledgement proper, and of any other frame of a flow.
  static Acknowledgement of(const Frame& frame) {
    const std::uint32_t before = frame.flow().acknowledged_before;
    const bool answers = frame.kind == FrameKind::acknowledgement;
    return {answers ? frame.flow().sequence : before - 1, before, frame.flow().credit,
            frame.flow().ecn_echo};
  }
};

/// How long the receiver of a flow may keep an acknowledgement back: less than the margin of the
/// sender's time-out, which is above min_rto and two round trips.
constexpr Time longest_silence(Time min_rto) { return min_rto / 4; }

class FlowSender {
 public:
  /// `credit`: frames that the receiver has room for at first.
  FlowSender(const CongestionWindow::Config& window, Time min_rto, Time first_rto,
             std::uint32_t credit)
      : window_(window), rto_(min_rto, first_rto), limit_(credit) {}

  /// Whether a frame may go out for the first time. One may always be in flight, so that a receiver
  /// without room is asked again.
  bool may_send() const {
    if (!lost_.empty()) return false;
    return in_flight_ == 0 || (in_flight_ < window_.packets() && wire::is_before(next_, limit_));
  }
  /// The number that the next frame gets.
  std::uint32_t next_sequence() const { return next_; }
  /// Whether the receiver has room for more frames than these behind those that were sent.
  bool has_room_beyond(std::uint32_t frames) const {
    return wire::is_before(next_ + frames, limit_);
  }
  /// Numbers the frame, which goes out now, and keeps it until it is acknowledged. Asks for that at
  /// once where no other frame may follow, and twice a window: the receiver may keep silent about
  /// the frames behind the last one that asked, and a cut leaves half of the window at least, which
  /// must not be full of these.
  void send(Frame& frame, Time now);
  /// The next one that got lost, if there is one and the window lets it go; at once if
  /// acknowledgements told, as these made room for it.
  bool resend(Frame& out, Time now);

  /// Returns false if it answers nothing that was ever sent.
  bool receive(const Acknowledgement& acknowledgement, Time now);

  /// When expire() wants to be called; kNever if nothing is in flight.
  Time deadline() const {
    return transmissions_.empty() ? kNever : rto_.deadline(transmissions_.front().sent);
  }
  /// All that is in flight counts as lost then (RFC 6675 5.1): were it the oldest packet alone,
  /// each of those behind it would double the time-out once more.
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
  /// What is in flight is a frame that the receiver had no room for.
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
  std::uint32_t first_ = 0;  // that is not acknowledged
  std::uint32_t next_ = 0;   // to be sent
  std::uint32_t limit_;      // the first one that the receiver has no room for
  std::uint32_t in_flight_ = 0;
  std::uint32_t unasked_ = 0;  // sent since the last frame that asked for an acknowledgement
  // A worker may have a thousand flows, each with a few frames in flight.
  static constexpr std::uint32_t kInitialCapacity = 4;
  GrowingRing<Outstanding, kInitialCapacity> outstanding_;  // from first_ on
  // In the order of time; the first one is not stale.
  GrowingRing<Transmission, kInitialCapacity> transmissions_;
  GrowingRing<Lost, kInitialCapacity> lost_;

  BOOST_DESCRIBE_CLASS(FlowSender, (), (), (),
                       (window_, order_, first_, next_, limit_, in_flight_, unasked_, outstanding_,
                        transmissions_, lost_))
};

/// Which frames of a flow have come.
class FlowReceiver {
 public:
  /// `span`: how far beyond the first one that is missing it knows of any, exclusive.
  explicit FlowReceiver(std::uint32_t span);

  /// The first frame that has not come.
  std::uint32_t next() const { return next_; }
  bool has(std::uint32_t sequence) const;
  /// Whether it could remember that the frame has come.
  bool reaches(std::uint32_t sequence) const { return sequence - next_ < span_; }
  /// It has come, and was not there: reaches(sequence) && !has(sequence).
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
  std::vector<std::uint64_t> words_;  // of those from next_ on

  BOOST_DESCRIBE_CLASS(FlowReceiver, (), (), (), (next_, words_))
};

}  // namespace ina
