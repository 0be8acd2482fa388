// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/all_reducer.hpp"

#include <algorithm>

namespace ina::library {

namespace {

// Number of pieces per span. With fewer pieces, the next piece waits longer for a free span.
constexpr std::uint32_t kPiecesOfSpan = 8;
// All sums have the same priority for DSA's switch, P = 1 (DSA V), because it is unknown when a sum
// is needed.
constexpr std::uint16_t kPriority = kPriorityScale;

}  // namespace

AllReducer::AllReducer(const Config& config)
    : config_(config),
      longest_piece_(std::max(config.span / kPiecesOfSpan, 1U)),
      round_fragments_(AgreementRound::fragments(config.workers, config.fragment_values)),
      ends_{0} {}

std::size_t AllReducer::longest(const Config& config, bool has_exponents) {
  const std::uint64_t beside = AgreementRound::fragments(config.workers, config.fragment_values) +
                               (has_exponents ? config.exponent_slots : 0);
  return (config.psns - std::min(config.psns, beside)) * config.fragment_values;
}

Psn AllReducer::a_span_before(Psn end) {
  while (ends_.size() > 1 && ends_[1] + std::uint64_t{config_.span} <= end) ends_.pop_front();
  return ends_.front();
}

void AllReducer::begin_rounds() {
  while (!exhausted_ && (!round_ || round_->over())) {
    if (round_) place_what_is_settled();
    round_.reset();
    if (exhausted_ || queued_.empty()) return;
    if (!has_psns_for(round_fragments_)) {
      exhausted_ = true;
      return;
    }
    begin_round();
  }
}

void AllReducer::begin_round() {
  const std::size_t most = AgreementRound::capacity(config_.workers, config_.fragment_values);
  AgreementRound::Agreements about;
  for (std::size_t i = 0; i < std::min(queued_.size(), most); ++i) {
    about.push_back(queued_[i].agreement);
  }
  round_ = std::make_shared<AgreementRound>(config_.rank, config_.workers, config_.fragment_values,
                                            std::move(about));
  assign_psns(round_);
}

bool AllReducer::has_psns_for(std::uint64_t fragments) const {
  return next_psn_ + fragments <= config_.psns;
}

void AllReducer::place_what_is_settled() {
  for (std::size_t i = 0; i < round_->settled(); ++i) {
    const Request& request = queued_.front();
    if (request.agreement->values_follow()) {
      exhausted_ = !has_psns_for(psns_of(*request.values));
      if (exhausted_) return;
      assign_psns(request.values);
    }
    queued_.pop_front();
  }
}

std::uint32_t AllReducer::lead_of(const Exchange& exchange) const {
  if (!exchange.has_exponents()) return 0;
  return exponent_lead_of(exchange.fragments(config_.fragment_values), config_.exponent_slots);
}

std::uint64_t AllReducer::psns_of(const Exchange& exchange) const {
  return exchange.fragments(config_.fragment_values) + lead_of(exchange);
}

void AllReducer::assign_psns(const std::shared_ptr<Exchange>& exchange) {
  auto left = static_cast<std::uint32_t>(exchange->fragments(config_.fragment_values));
  const std::uint32_t lead = lead_of(*exchange);
  exchange->assign_psns(next_psn_, config_.fragment_values, lead);
  if (lead != 0) return place_piece(exchange, left + lead, lead, true);
  while (left != 0) {
    const std::uint32_t fragments = std::min(left, longest_piece_);
    left -= fragments;
    place_piece(exchange, fragments, 0, left == 0);
  }
}

void AllReducer::place_piece(const std::shared_ptr<Exchange>& exchange, std::uint32_t fragments,
                             std::uint32_t exponent_lead, bool last) {
  const Psn end = next_psn_ + fragments;
  ends_.push_back(end);
  waiting_.push_back({exchange, next_psn_, fragments, exponent_lead, a_span_before(end), last});
  next_psn_ = end;
}

void AllReducer::advance(WorkerTransport& transport, Time now) {
  begin_rounds();
  while (!waiting_.empty() && have_before_ >= waiting_.front().low_watermark) {
    const Piece& piece = submitted_.emplace_back(std::move(waiting_.front()));
    waiting_.pop_front();
    transport.submit({piece.first_psn, piece.fragments, kPriority, piece.low_watermark,
                      piece.exchange.get(), piece.exponent_lead},
                     now);
  }
}

AllReducer::Piece& AllReducer::piece_of(Psn psn) {
  if (latest_ == nullptr || psn - latest_->first_psn >= latest_->fragments) {
    latest_ = &*std::prev(std::ranges::upper_bound(submitted_, psn, {}, &Piece::first_psn));
  }
  return *latest_;
}

void AllReducer::fragment_complete(const Frame& result, const Delivery&, Time) {
  Exchange& exchange = *piece_of(result.psn).exchange;
  if (result.has(flag::floats)) {
    exchange.overflowed();
  } else {
    exchange.take(result);
  }
}

void AllReducer::tensor_complete(Psn first_psn, Time) {
  Piece& piece = piece_of(first_psn);
  piece.complete = true;
  const Psn low_watermark = piece.low_watermark;
  finish_in_order();
  while (submitted_.front().end() <= low_watermark) {
    if (latest_ == &submitted_.front()) latest_ = nullptr;
    submitted_.pop_front();
    --finished_;
  }
}

void AllReducer::finish_in_order() {
  for (; finished_ < submitted_.size() && submitted_[finished_].complete; ++finished_) {
    const Piece& piece = submitted_[finished_];
    have_before_ = piece.end();
    if (piece.last) piece.exchange->finish();
  }
}

}  // namespace ina::library
