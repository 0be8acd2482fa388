// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <boost/dynamic_bitset.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/transport/flow.hpp"
#include "hw/protocol/transport/peer_schedule.hpp"
#include "hw/protocol/transport/tensor_queues.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// The worker of an all-reduce among workers, which needs neither switch memory nor a server. It
/// has a flow to each of its peers and a flow from each. A fragment is added and forwarded as soon
/// as it arrives, without waiting for the rest of its chunk. Peers are served in turn. For each
/// peer, earlier tensors come first. Within a tensor, fragments that begin here precede received
/// ones, because a fragment that begins late delays all later workers. Every eighth frame to a peer
/// is of the last waiting tensor. That tensor thus advances while the first tensor keeps the peers
/// busy.
///
/// Fragments of tensors that this worker has not submitted yet wait in a buffer of limited size per
/// peer. Full buffers cannot block workers for ever: within an iteration, workers submit tensors
/// without waiting for results, and frames of the last tensor leave half of a buffer free.
class PeerWorker final : public WorkerTransport {
 public:
  struct Config {
    CongestionWindow::Config window;  ///< per flow
    Time min_rto = std::chrono::milliseconds(1);
    Time first_rto{};  ///< time-out before the first round trip, if larger than min_rto
    std::uint32_t values_per_packet = wire::kMtuFlowValues;
    std::uint32_t receive_buffer =
        1024;  ///< packets per peer, for tensors that are not submitted yet

    bool operator==(const Config&) const = default;
  };
  /// Upper limit of receive_buffer, because the header's field `credit` has 16 bits.
  static constexpr std::uint32_t kMostReceiveBuffer = 65'535;

  /// The identity must contain the members, at least two.
  PeerWorker(const WorkerIdentity& identity, PeerSchedule schedule, const Config& config,
             ValuePool& pool, ResultSink& sink);

  void submit(const Tensor& tensor, Time now) override;
  void receive(const Frame& frame, Time now) override;
  bool next(Frame& out, Time now) override;
  /// A lower bound of the deadlines of all flows.
  Time deadline() const override;
  void expire(Time now) override;
  std::uint32_t in_flight() const override { return in_flight_; }
  std::uint32_t window() const override { return window_; }
  const WorkerStatistics& statistics() const override { return statistics_; }

 private:
  using Index = PeerSchedule::Peer;
  /// A fragment that is sent to a peer.
  struct Forward {
    Values values;
    Psn psn;
    FrameKind kind;
    std::uint8_t flags;
    BOOST_DESCRIBE_CLASS(Forward, (), (values, psn, kind, flags), (), ())
  };
  /// Frames of a peer that have arrived in order but are not acknowledged yet.
  struct Unacknowledged {
    std::uint32_t frames = 0;
    bool marked = false;
    Time since{};
    BOOST_DESCRIBE_CLASS(Unacknowledged, (), (frames, marked, since), (), ())
  };
  struct Peer {
    HostId host;
    FlowSender sender;
    FlowReceiver receiver;
    TensorQueues<Forward> forwards;
    Unacknowledged unacknowledged;
    std::uint32_t held = 0;  ///< frames of tensors that are not submitted yet
    std::uint32_t yet_to_begin =
        0;                    ///< tensors with unsent fragments that begin here and go to the peer
    bool holds_back = false;  ///< whether its flow has frames that it may not send yet
  };
  struct Active {
    Tensor tensor;
    std::uint32_t remaining;  ///< fragments without a result
    /// By peer: number of fragments that began at this worker and have been sent.
    std::vector<std::uint32_t> begun;
    bool holds(Psn psn) const { return psn - tensor.first_psn < tensor.fragments; }
    BOOST_DESCRIBE_CLASS(Active, (), (tensor, remaining, begun), (), ())
  };
  /// The sum of a fragment to which some peers have not contributed yet.
  struct PartialSum {
    Values values;
    std::uint16_t missing;
    std::uint8_t flags;
    BOOST_DESCRIBE_CLASS(PartialSum, (), (values, missing, flags), (), ())
  };
  struct Held {
    Frame frame;
    Index peer;
    BOOST_DESCRIBE_CLASS(Held, (), (frame, peer), (), ())
  };
  struct Answer {
    Acknowledgement acknowledgement;
    Index peer;
  };
  struct Waiting {
    Index peer;
    Time since;
  };

  Active* find(Psn psn);
  const PeerSchedule::Route& route_of(Psn psn, const Tensor& tensor) const;
  Values read(Psn psn, const Tensor& tensor) const;

  std::uint32_t places_of(Index index, const Tensor& tensor) const;
  std::uint32_t fragment_at(std::uint32_t place, Index index, const Tensor& tensor) const;
  std::uint32_t first_place_from(std::uint32_t place, Index index, const Tensor& tensor) const;
  bool has_to_begin(const Active& active, Index index) const;
  Active* first_to_begin(Index index);
  Active* last_to_begin(Index index);
  Forward begin(Active& active, Index index);

  std::optional<Index> sender_of(const Frame& frame) const;
  void receive_data(const Frame& frame, Index index, Time now);
  void take_held(Time now);
  void process(const Frame& frame, Index index, Active& active, Time now);
  void add_part(const Frame& frame, const PeerSchedule::Route& route, Active& active, Time now);
  void hand_out(const Forward& result, const PeerSchedule::Route& route, Active& active, Time now);

  void forget(Active& active);

  void take(const Frame& frame, Index index, Time now);
  Acknowledgement acknowledgement_of(const Peer& peer, std::uint32_t sequence, bool marked) const;
  void answer(Index index, std::uint32_t sequence, bool marked);
  void answer_what_came(Index index);
  void tell_of_room(Index index);
  void forget_answered();

  /// Calls `use` for the flow to a peer, and updates the state that all flows share.
  template <class Use>
  auto with_sender(Index index, Use&& use);
  void wake(Index peer) { awake_.set(peer); }
  void push(Index peer, const Forward& forward, const Tensor& tensor);
  bool next_answer(Frame& out);
  bool next_data(Frame& out, Time now);
  bool next_data_to(Index index, Frame& out, Time now);
  void hold_back(Peer& peer, Time now);
  void let_go(Peer& peer);
  bool send_again(FlowSender& sender, Frame& out, Time now);
  bool send_next(Index index, Frame& out, Time now);
  std::optional<Forward> next_of_first(Index index);
  std::optional<Forward> next_of_last(Index index);
  Frame frame_to(Index index, FrameKind kind, std::uint16_t bytes) const;

  BOOST_DESCRIBE_CLASS(PeerWorker, (), (), (),
                       (peers_, active_, partial_sums_, held_, waiting_, in_flight_, turn_,
                        earliest_))

  WorkerIdentity identity_;
  PeerSchedule schedule_;
  std::vector<Index> peer_of_rank_;  // kNoPeer for ranks that are not peers
  std::uint32_t receive_buffer_;
  std::uint16_t data_bytes_;
  Time longest_silence_;
  ValuePool& pool_;
  ResultSink& sink_;
  std::vector<Peer> peers_;
  std::vector<Active> active_;  // in the order of PSNs
  boost::unordered_flat_map<Psn, PartialSum> partial_sums_;
  GrowingRing<Held> held_;  // frames of tensors that are not submitted yet
  GrowingRing<Answer> answers_;
  GrowingRing<Waiting> waiting_;    // flows that must acknowledge frames by a deadline
  boost::dynamic_bitset<> awake_;   // peers to which there may be frames to send
  std::uint32_t in_flight_ = 0;     // packets in flight of all flows
  std::uint32_t window_ = 0;        // sum of all flows' windows
  Index turn_ = 0;                  // the peer that is served next
  Time earliest_ = kNever;          // lower bound of all flows' deadlines
  std::uint32_t holding_back_ = 0;  // number of flows that hold back frames
  Time held_since_{};               // time since which at least one flow has done so
  WorkerStatistics statistics_;
};

}  // namespace ina
