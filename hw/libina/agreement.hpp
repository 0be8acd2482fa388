// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hw/libina/exchange.hpp"

namespace ina::library {

/// The kind and number of values that a worker submits to one all-reduce, for comparison.
struct Offer {
  enum class Kind : std::uint8_t { nothing, int32, float32, leaving };

  /// `fits`: see the member `fits`.
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
  LargestExponent largest{};  // used only for FloatBlocks::arrays
  /// Whether sums_fit() holds for these integers; true without a check if the network detects
  /// overflows or the caller waives the check. If it holds at all workers, no sum leaves the range.
  bool fits = true;

  bool matches(const Offer& other) const { return kind == other.kind && count == other.count; }
};

/// Whether the number of workers times the largest magnitude in `values` is at most INT32_MAX - 1,
/// so that no sum of `workers` such values reaches a limit of int32. The check is conservative:
/// other workers' values may be smaller or have the opposite sign. If it holds at every worker, no
/// sum of the workers' values reaches a limit.
bool sums_fit(std::span<const std::int32_t> values, std::uint32_t workers);

/// Outcome of the workers' offers for one all-reduce: whether they match, and can be summed.
class Agreement {
 public:
  /// Calls `done` with the outcome if no values follow. Otherwise their Exchange reports it.
  Agreement(const Offer& own, Done done) : own_(own), done_(std::move(done)) {}

  const Offer& own() const { return own_; }
  /// `all`: the offers of all workers, by rank.
  void conclude(const std::vector<Offer>& all);

  bool values_follow() const { return outcome_.status == INA_OK && own_.count != 0; }
  /// Largest exponent of all workers' floats.
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

/// A round in which the workers exchange their offers for the next few all-reduces, before any
/// values. Since the network can only add, each worker writes its own words, to which all others
/// add 0. All rounds have the same layout, so workers whose offers differ still receive each
/// other's words and stay in step. A round settles its first all-reduces, those that all workers
/// have submitted. The next round begins with the first all-reduce that is not settled.
class AgreementRound final : public Exchange {
 public:
  using Agreements = std::vector<std::shared_ptr<Agreement>>;

  /// Maximum number of all-reduces per round: as many as fit into one packet, but at least one.
  static std::size_t capacity(std::uint32_t workers, std::size_t fragment_values);
  static std::uint64_t fragments(std::uint32_t workers, std::size_t fragment_values);

  /// `own`: this worker's offers for 1 to capacity() all-reduces.
  AgreementRound(std::uint32_t rank, std::uint32_t workers, std::size_t fragment_values,
                 Agreements own);

  /// Whether all words have arrived. Only then is settled() known.
  bool over() const { return missing_words_ == 0; }
  /// Number of all-reduces that the round settled: either one without values, or several that all
  /// have values. This keeps completion in order, because an all-reduce without values completes
  /// with its round.
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
  std::vector<std::int32_t> words_;  // words of all workers, by rank
  std::size_t missing_words_;
  std::size_t settled_ = 0;
};

}  // namespace ina::library
