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

/// An all-reduce. Its values are exchanged only if the outcome of the agreement is INA_OK.
struct Request {
  std::shared_ptr<Agreement> agreement;
  std::shared_ptr<Exchange> values;  // null if there are none
};

/// The stream of exchanges of one worker. It assigns consecutive PSNs to exchanges and passes them
/// to the transport in pieces. The PSNs that all workers together have in progress never span more
/// PSNs than their server remembers.
///
/// The stream is used up when too few PSNs remain for the next AgreementRound, or for values on
/// which a round has agreed. This happens at the same all-reduce at all workers, since they use the
/// same PSNs. The remaining requests continue in the stream of another session (take_queued()).
///
/// An AgreementRound decides which values follow it. Once the round is over, these values are sent
/// together with the next round.
///
/// A piece is submitted only when the worker has all results before the piece's low watermark. The
/// watermark is 0, or the end of an earlier piece at least Config::span before this piece's end. It
/// depends only on the sequence of exchanges, which all workers share. When a piece is complete,
/// therefore, every worker has all results before its watermark (CORRECTNESS.md, low_watermark). No
/// worker is more than a span and a piece ahead of another (in a simulated job, an iteration). An
/// exchange with exponents is a single piece, because every further piece would begin with another
/// round of exponents. If it is longer than a span, it waits for all results before it.
class AllReducer final : public ResultSink {
 public:
  struct Config {
    std::size_t fragment_values;
    std::uint32_t exponent_slots;  // argument of exponent_lead_of()
    std::uint32_t span;            // fragments of an iteration; determines how many PSNs servers
                                   // remember
    std::uint32_t rank;
    std::uint32_t workers;
    std::uint64_t psns = std::numeric_limits<Psn>::max();  // total number of PSNs
  };

  explicit AllReducer(const Config& config);

  /// Maximum number of values in an array. The PSNs must suffice for them and the preceding round.
  static std::size_t longest(const Config& config, bool has_exponents);

  void submit(Request request) { queued_.push_back(std::move(request)); }
  /// Whether the PSNs are used up and this worker has all results. Other workers may still need its
  /// fragments.
  bool is_used_up() const { return exhausted_ && have_before_ == next_psn_; }
  /// Removes and returns the requests that remain when the stream is used up.
  std::deque<Request> take_queued() { return std::exchange(queued_, {}); }

  /// Submits all pieces that may be submitted by now.
  void advance(WorkerTransport& transport, Time now);

  void fragment_complete(const Frame& result, const Delivery& delivery, Time now) override;
  void tensor_complete(Psn first_psn, Time now) override;

 private:
  struct Piece {
    std::shared_ptr<Exchange> exchange;
    Psn first_psn;
    std::uint32_t fragments;
    std::uint32_t exponent_lead;  // number of fragments that carry only exponents
    Psn low_watermark;
    bool last;  // whether it is the last piece of its exchange
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
  /// Number of PSNs that carry only the exponents of the exchange.
  std::uint32_t lead_of(const Exchange& exchange) const;
  /// Number of PSNs of the exchange, including those that carry only exponents.
  std::uint64_t psns_of(const Exchange& exchange) const;
  /// The last end of a piece that lies at least a span before `end`; 0 if there is none.
  Psn a_span_before(Psn end);
  Piece& piece_of(Psn psn);
  void finish_in_order();

  Config config_;
  std::uint32_t longest_piece_;
  std::uint64_t round_fragments_;
  Psn next_psn_ = 0;
  bool exhausted_ = false;
  std::deque<Psn> ends_;        // ends of pieces, ascending, starting with the last result of
                                // a_span_before()
  std::deque<Request> queued_;  // not yet settled
  std::shared_ptr<AgreementRound> round_;
  std::deque<Piece> waiting_;
  std::deque<Piece> submitted_;  // may still be needed by other workers
  Piece* latest_ = nullptr;      // piece that piece_of() found last
  std::size_t finished_ = 0;     // number of finished pieces at the front of submitted_
  Psn have_before_ = 0;          // this worker has all results before this PSN
};

}  // namespace ina::library
