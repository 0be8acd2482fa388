// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hw/protocol/numeric/quantise_status.hpp"

/// Block floating point (SwitchML NSDI, "quantized integer-based aggregation"): the values of a
/// chunk share an exponent, the maximum of all workers' exponents for that chunk. In the simulator
/// a chunk is one fragment, and the workers agree on its exponent in advance: a packet carries the
/// values of one fragment and its worker's exponent for a later fragment. The switch sums the
/// values and takes the maximum of the exponents (Tensor::exponent_lead). In hw/libina a chunk is a
/// whole array, and the workers agree on the exponent before they send the array.
namespace ina::numeric {

/// floor(log2(m)) for the largest magnitude m in a chunk, from -126 to 127. It is -127 if m is a
/// denormal number.
using ChunkExponent = std::int8_t;

/// Exponent of a chunk without nonzero values. It is below all other exponents, so a worker whose
/// chunk is zero does not affect the maximum.
inline constexpr ChunkExponent zero_chunk = -128;

/// Exponent of `values`; empty if one of them is NaN or infinite.
[[nodiscard]] std::optional<ChunkExponent> chunk_exponent(std::span<const float> values) noexcept;

/// An exponent as encoded in packets. Greater exponents have greater codes, so the switch only
/// takes the maximum of unsigned integers. 0 means zero_chunk or no exponent.
using ExponentCode = std::uint16_t;
/// Lowest code that encodes the rank of a worker with non-finite values. Lower codes are exponents.
inline constexpr int first_rank_code = 256;

/// Code of `exponent`. An empty exponent means that the chunk of worker `rank` has a non-finite
/// value. The code is then above the codes of all exponents, and greater for higher ranks.
[[nodiscard]] constexpr ExponentCode exponent_code(std::optional<ChunkExponent> exponent,
                                                   std::uint16_t rank) {
  return static_cast<ExponentCode>(exponent ? *exponent - zero_chunk : first_rank_code + rank);
}

/// Decoded ExponentCode: the exponent of a chunk, or the rank of a worker with non-finite values.
struct DecodedExponent {
  std::optional<ChunkExponent> exponent;
  std::uint16_t not_finite_of = 0;  ///< rank of that worker, if there is no exponent
};
[[nodiscard]] constexpr DecodedExponent decode_exponent(ExponentCode code) {
  if (code < first_rank_code) return {static_cast<ChunkExponent>(code + zero_chunk), 0};
  return {std::nullopt, static_cast<std::uint16_t>(code - first_rank_code)};
}

/// The scale of a chunk with this exponent, in integer units per 1.0: 2^(30 - exponent - ceil(log2
/// workers)). The exponent -127 (denormals) has the scale of -126. The scale of zero_chunk is 0.
/// Throws std::invalid_argument unless 1 <= workers <= 65536.
[[nodiscard]] double chunk_scale(ChunkExponent exponent, std::uint32_t workers);

/// out[i] = in[i] * chunk_scale(exponent, workers), rounded to the nearest integer, ties to even,
/// of magnitude at most (2^31 - 1) / workers: no sum over `workers` overflows, and no sum over two
/// or more is INT32_MAX or INT32_MIN.
///
/// The product is exact. The error of a value is at most half a unit. With more than 128 workers,
/// it is less than one unit for values whose rounding would exceed that magnitude. In both cases a
/// sum satisfies theorem 1 of SwitchML (arXiv v1, appendix C). With up to 128 workers, the chunk's
/// largest value keeps all its 24 bits.
///
/// A value that exceeds the agreed exponent saturates at that magnitude and is counted. A correct
/// worker has no such value. With zero_chunk, every value is written as 0, and counts as saturated
/// unless it is 0. Denormals are ordinary values; -0 becomes 0. If a value is NaN or infinite,
/// nothing is converted, `out` is unchanged, and the status reports the value's index.
///
/// Throws like chunk_scale(), or std::invalid_argument if sizes differ. Arrays must not overlap.
[[nodiscard]] QuantiseStatus quantise(std::span<const float> in, ChunkExponent exponent,
                                      std::uint32_t workers, std::span<std::int32_t> out);

/// out[i] = sum[i] / chunk_scale(exponent, workers), exactly, then rounded to the nearest float:
/// denormals are kept, and a sum beyond FLT_MAX becomes an infinity. For zero_chunk, out[i] = 0.
/// Throws as quantise() does. The arrays must not overlap.
void dequantise(std::span<const std::int32_t> sum, ChunkExponent exponent, std::uint32_t workers,
                std::span<float> out);

}  // namespace ina::numeric
