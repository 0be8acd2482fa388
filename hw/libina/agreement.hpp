// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hw/libina/exchange.hpp"

namespace ina::library {

/// What a worker brings to an all-reduce.
struct Offer {
  enum class Kind : std::uint8_t { nothing, int32, float32, leaving };

  /// `fits`: see below.
  static Offer of(std::span<const std::int32_t> in, bool fits = true) {
    return {Kind::int32, in.size(), {}, fits};
  }
  static Offer of(std::span<const float> in, FloatBlocks blocks) {
    return {Kind::float32, in.size(),
            blocks == FloatBlocks::arrays ? numeric::chunk_exponent(in) : numeric::zero_chunk};
  }
  static Offer to_leave() { return {Kind::leaving, 0, {}}; }

  Kind kind = Kind::nothing;
  std::uint64_t count = 0;
  LargestExponent largest{};  // of floats, if their array is one block
  /// Whether no sum of these integers can leave the range, if the other workers' offers fit as
  /// well: sums_fit(), where the network does not notice it.
  bool fits = true;

  bool matches(const Offer& other) const { return kind == other.kind && count == other.count; }
};

/// Whether no sum of such values of `workers` workers is INT32_MIN, INT32_MAX or beyond: the number
/// of workers times the largest magnitude is in between. Conservative, since other workers' values
/// may be smaller, or have the other sign. If it is true at each worker, it is true of the largest
/// magnitude of all.
bool sums_fit(std::span<const std::int32_t> values, std::uint32_t workers);

/// Whether all workers bring the same to an all-reduce, and whether its sums fit.
class Agreement {
 public:
  /// `done` hears of it if no values follow, which have their own.
  Agreement(const Offer& own, Done done) : own_(own), done_(std::move(done)) {}

  const Offer& own() const { return own_; }
  /// With the offers of all workers, by rank.
  void conclude(const std::vector<Offer>& all);

  bool values_follow() const { return outcome_.status == INA_OK && own_.count != 0; }
  /// Of all workers' floats that follow.
  numeric::ChunkExponent largest_exponent() const { return largest_; }
  void report() const {
    if (!values_follow()) done_(outcome_);
  }

 private:
  Offer own_;
  Done done_;
  Outcome outcome_;
  numeric::ChunkExponent largest_ = numeric::zero_chunk;
};

/// Before the values of all-reduces the workers tell each other what they bring to the next few.
/// The network can only add: each worker writes words of its own, to which all others add 0. A
/// round looks alike whatever it is about, so that workers who differ get each other's words, and
/// go on in step: it settles what all have submitted, and the next one begins with what is left.
class AgreementRound final : public Exchange {
 public:
  using Agreements = std::vector<std::shared_ptr<Agreement>>;

  /// How many all-reduces a round is about at most: as many as one packet has room for.
  static std::size_t capacity(std::uint32_t workers, std::size_t fragment_values);
  static std::uint64_t fragments(std::uint32_t workers, std::size_t fragment_values);

  /// `own`: of 1 to capacity all-reduces.
  AgreementRound(std::uint32_t rank, std::uint32_t workers, std::size_t fragment_values,
                 Agreements own);

  /// Whether all words are there; what is settled is known only then.
  bool over() const { return missing_words_ == 0; }
  /// How many of the all-reduces are: one that no values follow, or some that all have some.
  /// They complete in order so: what has no values is over with the round.
  std::size_t settled() const { return settled_; }

  void finish() override;

 private:
  void encode(std::size_t first, numeric::ExponentCode, std::span<std::int32_t> out) const override;
  void decode(std::size_t first, numeric::ExponentCode,
              std::span<const std::int32_t> sums) override;

  void settle();
  /// Throws std::runtime_error if this worker's own words came back changed.
  void check_own_words() const;
  std::vector<Offer> offers(std::size_t which) const;

  Agreements own_;
  std::size_t words_of_worker_;
  std::size_t first_own_word_;
  std::vector<std::int32_t> own_words_;
  std::vector<std::int32_t> words_;  // of all workers, by rank
  std::size_t missing_words_;
  std::size_t settled_ = 0;
};

}  // namespace ina::library
