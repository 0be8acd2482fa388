// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <utility>

#include "hw/libina/agreement.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::library {

/// An all-reduce: the values are exchanged if the agreement says so.
struct Request {
  std::shared_ptr<Agreement> agreement;
  std::shared_ptr<Exchange> values;  // none if there are none
};

/// The stream of exchanges of one worker: gives them PSNs, one after the other, and hands them to
/// the transport in pieces. Of all workers together no more PSNs are open than their server
/// remembers.
///
/// When the PSNs do not suffice for the next round, or for the values that a round settled, the
/// stream is used up: at the same all-reduce at all workers, since they use the same PSNs. What is
/// left goes on in the stream of another session (take_queued()).
///
/// What follows a round of agreement is known when it is over. The next round then goes out with
/// the values that the last one settled.
///
/// The rule: a piece is submitted only when all results are there that lie a span before its end.
/// What that is depends on the sequence of exchanges alone, which all workers share, so that when a
/// piece is complete, everyone has all results before that: CORRECTNESS.md's low_watermark.
/// As workers of a simulated job, who are an iteration apart at most, no worker is more than a span
/// ahead of another. (An exchange with exponents is one piece, since each piece of one would begin
/// with a round of exponents, and waits for all before it if it is longer than a span.)
class AllReducer final : public ResultSink {
 public:
  struct Config {
    std::size_t fragment_values;
    std::uint32_t exponent_slots;  // of exponent_lead_of()
    std::uint32_t span;            // the fragments of an iteration, by which servers remember
    std::uint32_t rank;
    std::uint32_t workers;
    std::uint64_t psns = std::numeric_limits<Psn>::max();  // that there are
  };

  explicit AllReducer(const Config& config);

  /// The most values that an array may have, with the round before it.
  static std::size_t longest(const Config& config, bool has_exponents);

  void submit(Request request) { queued_.push_back(std::move(request)); }
  /// Whether the PSNs are used up, and this worker has all results: it needs nothing any more, but
  /// others may still need its fragments.
  bool is_used_up() const { return exhausted_ && have_before_ == next_psn_; }
  /// The requests that are left then.
  std::deque<Request> take_queued() { return std::exchange(queued_, {}); }

  /// Submits what may be submitted.
  void advance(WorkerTransport& transport, Time now);

  void fragment_complete(const Frame& result, const Delivery& delivery, Time now) override;
  void tensor_complete(Psn first_psn, Time now) override;

 private:
  struct Piece {
    std::shared_ptr<Exchange> exchange;
    Psn first_psn;
    std::uint32_t fragments;
    std::uint32_t exponent_lead;  // of these
    Psn low_watermark;
    bool last;  // of its exchange
    bool complete = false;

    Psn end() const { return first_psn + fragments; }
  };

  void begin_rounds();
  void begin_round();
  bool has_psns_for(std::uint64_t fragments) const;
  void place_what_is_settled();
  void assign_psns(const std::shared_ptr<Exchange>& exchange);
  void place_piece(const std::shared_ptr<Exchange>& exchange, std::uint32_t fragments,
                   std::uint32_t exponent_lead, bool last);
  /// Its PSNs of exponents alone.
  std::uint32_t lead_of(const Exchange& exchange) const;
  /// That it takes, those of exponents alone too.
  std::uint64_t psns_of(const Exchange& exchange) const;
  /// The last end of a piece that lies a span or more before `end`.
  Psn a_span_before(Psn end);
  Piece& piece_of(Psn psn);
  void finish_in_order();

  Config config_;
  std::uint32_t longest_piece_;
  std::uint64_t round_fragments_;
  Psn next_psn_ = 0;
  bool exhausted_ = false;
  std::deque<Psn> ends_;  // of pieces, ascending, from the last that a_span_before() returned on
  std::deque<Request> queued_;  // those that are not settled
  std::shared_ptr<AgreementRound> round_;
  std::deque<Piece> waiting_;
  std::deque<Piece> submitted_;  // those that others may need
  Piece* latest_ = nullptr;      // the one of the latest fragment
  std::size_t finished_ = 0;     // of those, from the first on
  Psn have_before_ = 0;          // this worker has all results before
};

}  // namespace ina::library
