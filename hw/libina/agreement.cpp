// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina::library {

namespace {

// An offer has two words of 30 bits. Words therefore stay far from the limits of int32, which
// indicate an overflow. Words that are all zero, because no worker wrote them, are not an offer.
constexpr std::size_t kWords = 2;
constexpr unsigned kCountBits = 30;  // the low bits of the count, which fill the first word
constexpr unsigned kKindBits = 2;
constexpr unsigned kExponentBits = 9;  // for floats the exponent, for integers whether their sums
                                       // fit
constexpr std::uint32_t kNotFinite = 0;
constexpr std::uint32_t kDoesNotFit = 1;

using Words = std::array<std::int32_t, kWords>;

constexpr std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

std::uint32_t code_of(LargestExponent largest) {
  return largest ? static_cast<std::uint32_t>(*largest - numeric::zero_chunk + 1) : kNotFinite;
}

LargestExponent exponent_of(std::uint32_t code) {
  if (code == kNotFinite) return std::nullopt;
  return static_cast<numeric::ChunkExponent>(static_cast<int>(code) - 1 + numeric::zero_chunk);
}

Words words_of(const Offer& offer) {
  const auto kind = static_cast<std::uint64_t>(offer.kind);
  const std::uint64_t exponent =
      offer.kind == Offer::Kind::int32 ? (offer.fits ? 0 : kDoesNotFit) : code_of(offer.largest);
  const std::uint64_t high = offer.count >> kCountBits;
  return {static_cast<std::int32_t>(low_bits(offer.count, kCountBits)),
          static_cast<std::int32_t>(kind | exponent << kKindBits |
                                    high << (kKindBits + kExponentBits))};
}

Offer offer_in(std::span<const std::int32_t, kWords> words) {
  const auto low = static_cast<std::uint64_t>(words[0]);
  const auto second = static_cast<std::uint64_t>(words[1]);
  const std::uint64_t high = second >> (kKindBits + kExponentBits);
  const auto code = static_cast<std::uint32_t>(low_bits(second >> kKindBits, kExponentBits));
  Offer offer{static_cast<Offer::Kind>(low_bits(second, kKindBits)), high << kCountBits | low};
  if (offer.kind == Offer::Kind::int32) {
    offer.fits = code != kDoesNotFit;
  } else {
    offer.largest = exponent_of(code);
  }
  return offer;
}

std::string name_of_offer(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::int32:
      return fmt::format("{} int32", offer.count);
    case Offer::Kind::float32:
      return fmt::format("{} float32", offer.count);
    default:
      return "leaves the job";
  }
}

/// Describes which ranks offer what, the smallest group first because it is probably wrong.
std::string differences(const std::vector<Offer>& all) {
  struct Party {
    Offer offer;
    std::vector<std::size_t> ranks;
  };
  std::vector<Party> parties;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto brings_that = [&](const Party& party) { return party.offer.matches(all[rank]); };
    const auto found = std::ranges::find_if(parties, brings_that);
    if (found == parties.end()) {
      parties.push_back({all[rank], {rank}});
    } else {
      found->ranks.push_back(rank);
    }
  }
  std::ranges::stable_sort(parties, {}, [](const Party& party) { return party.ranks.size(); });
  std::string text = "found different arrays: ";
  for (const Party& party : parties) {
    text += fmt::format("{}: {}; ", name_of(party.ranks), name_of_offer(party.offer));
  }
  return text + "allowed: the same kind and count at all workers";
}

template <class Predicate>
std::vector<std::size_t> ranks_of(const std::vector<Offer>& all, Predicate&& predicate) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (predicate(all[rank])) ranks.push_back(rank);
  }
  return ranks;
}

Outcome outcome_of_floats(const std::vector<Offer>& all) {
  const auto ranks = ranks_of(all, [](const Offer& offer) { return !offer.largest; });
  return ranks.empty() ? Outcome{} : not_finite(ranks);
}

std::uint32_t largest_that_fits(std::size_t workers) {
  constexpr std::uint32_t kLargestSum = std::numeric_limits<std::int32_t>::max() - 1;
  return kLargestSum / static_cast<std::uint32_t>(workers);
}

Outcome outcome_of_integers(const std::vector<Offer>& all) {
  const auto ranks = ranks_of(all, [](const Offer& offer) { return !offer.fits; });
  if (ranks.empty()) return {};
  return {INA_OVERFLOW, fmt::format("found values of {} that may put sums out of range; allowed: "
                                    "magnitudes up to {} ((2^31 - 2) / {} workers)",
                                    name_of(ranks), largest_that_fits(all.size()), all.size())};
}

}  // namespace

bool sums_fit(std::span<const std::int32_t> values, std::uint32_t workers) {
  return numeric::largest_magnitude(values) <= largest_that_fits(workers);
}

void Agreement::conclude(const std::vector<Offer>& all) {
  outcome_ = {};
  largest_ = numeric::zero_chunk;
  const auto is_like_own = [&](const Offer& offer) { return offer.matches(own_); };
  if (!std::ranges::all_of(all, is_like_own)) {
    outcome_ = {INA_MISMATCH, differences(all)};
  } else if (own_.kind == Offer::Kind::int32) {
    outcome_ = outcome_of_integers(all);
  } else if (own_.kind == Offer::Kind::float32) {
    outcome_ = outcome_of_floats(all);
    for (const Offer& offer : all) largest_ = std::max(largest_, offer.largest.value_or(largest_));
  }
}

std::size_t AgreementRound::capacity(std::uint32_t workers, std::size_t fragment_values) {
  return std::max<std::size_t>(fragment_values / (kWords * workers), 1);
}

std::uint64_t AgreementRound::fragments(std::uint32_t workers, std::size_t fragment_values) {
  return fragments_of(capacity(workers, fragment_values) * kWords * workers, fragment_values);
}

AgreementRound::AgreementRound(std::uint32_t rank, std::uint32_t workers,
                               std::size_t fragment_values, Agreements own)
    : Exchange(capacity(workers, fragment_values) * kWords * workers),
      own_(std::move(own)),
      words_of_worker_(count() / workers),
      first_own_word_(rank * words_of_worker_),
      own_words_(words_of_worker_),
      words_(count()),
      missing_words_(count()) {
  auto next = own_words_.begin();
  for (const auto& agreement : own_) {
    next = std::ranges::copy(words_of(agreement->own()), next).out;
  }
}

void AgreementRound::encode(std::size_t first, numeric::ExponentCode,
                            std::span<std::int32_t> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t word = first + i - first_own_word_;  // wraps before this worker's words
    out[i] = word < own_words_.size() ? own_words_[word] : 0;
  }
}

void AgreementRound::decode(std::size_t first, numeric::ExponentCode,
                            std::span<const std::int32_t> sums) {
  std::ranges::copy(sums, words_.begin() + static_cast<std::ptrdiff_t>(first));
  missing_words_ -= sums.size();
  if (over()) settle();
}

void AgreementRound::settle() {
  check_own_words();
  const auto is_there = [](const Offer& offer) { return offer.kind != Offer::Kind::nothing; };
  for (const auto& agreement : own_) {
    const std::vector<Offer> all = offers(settled_);
    if (!std::ranges::all_of(all, is_there)) return;
    agreement->conclude(all);
    if (!agreement->values_follow() && settled_ != 0) return;
    ++settled_;
    if (!agreement->values_follow()) return;
  }
}

/// All other workers add 0 to these words.
void AgreementRound::check_own_words() const {
  const auto own = std::span(words_).subspan(first_own_word_, words_of_worker_);
  if (std::ranges::equal(own, own_words_)) return;
  throw std::runtime_error(
      fmt::format("rank {}: received other words than this rank sent, because the switch or "
                  "servers answered for other packets",
                  first_own_word_ / words_of_worker_));
}

std::vector<Offer> AgreementRound::offers(std::size_t which) const {
  std::vector<Offer> offers;
  for (std::size_t first = kWords * which; first < words_.size(); first += words_of_worker_) {
    offers.push_back(offer_in(std::span(words_).subspan(first).first<kWords>()));
  }
  return offers;
}

void AgreementRound::finish() {
  for (std::size_t i = 0; i < settled_; ++i) own_[i]->report();
}

}  // namespace ina::library
