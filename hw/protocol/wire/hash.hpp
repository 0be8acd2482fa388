// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <boost/crc.hpp>
#include <boost/endian/buffers.hpp>
#include <cstdint>
#include <string_view>
#include <variant>

#include "hw/protocol/numeric/split_mix.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/headers.hpp"

namespace ina::wire {

/// Hash function that gives aggregator indices. ATP (3.5) and DSA (III.B) only say "hash". A
/// Tofino's hash units compute these CRCs: TNA has CRC16, CRC32 and CRC64 in HashAlgorithm_t, and
/// all others by CRCPolynomial. A CRC is linear: if the number n of aggregators is a power of two,
/// two aligned blocks of n PSNs share all indices or none. `ideal` has no such structure.
enum class Hash : std::uint8_t { crc16, crc32, crc32c, crc32_bzip2, crc64, ideal };
/// Names in the order of Hash.
inline constexpr std::array<std::string_view, 6> kHashNames = {"crc16",       "crc32", "crc32c",
                                                               "crc32_bzip2", "crc64", "ideal"};
constexpr std::string_view name_of(Hash hash) { return kHashNames[static_cast<std::size_t>(hash)]; }

inline constexpr Hash kDefaultHash = Hash::crc32;

/// Lower bound of the number of distinct hash values, and so of the aggregators that it can use.
constexpr std::uint64_t values_of(Hash hash) {
  return std::uint64_t{1} << (hash == Hash::crc16 ? 16 : 32);
}

// Names of these CRCs in the RevEng catalogue: CRC-16/ARC, CRC-32/ISO-HDLC, CRC-32/ISCSI,
// CRC-32/BZIP2 and CRC-64/ECMA-182.
using Crc16 = boost::crc_optimal<16, 0x8005, 0, 0, true, true>;
using Crc32 = boost::crc_32_type;
using Crc32c = boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true>;
using Crc32Bzip2 = boost::crc_optimal<32, 0x04c11db7, 0xffffffff, 0xffffffff, false, false>;
using Crc64 = boost::crc_optimal<64, 0x42f0e1eba9ea3693, 0, 0, false, false>;

/// A CRC of job and PSN, or of an index, in network byte order.
template <typename Crc>
class HashByCrc {
 public:
  using Checksum = typename Crc::value_type;

  explicit HashByCrc(JobId job) : job_(job), of_high_(checksum(job, 0)) {}

  /// Caches the checksum of the PSN's upper bytes, since consecutive PSNs share these bytes.
  Checksum of_fragment(Psn psn) {
    if (psn >> 8 != high_) {
      high_ = psn >> 8;
      of_high_ = checksum(job_, high_ << 8);
    }
    return of_high_ ^ kBitsOfLastByte[psn & 0xff];
  }

  Checksum of_index(std::uint32_t index) const {
    const big_uint32_buf_t key(index);
    Crc crc;
    crc.process_bytes(&key, sizeof key);
    return crc.checksum();
  }

 private:
  static Checksum checksum(JobId job, Psn psn) {
    const struct {
      big_uint16_buf_t job;
      big_uint32_buf_t psn;
    } key{big_uint16_buf_t(job), big_uint32_buf_t(psn)};
    static_assert(sizeof key == 6);
    Crc crc;
    crc.process_bytes(&key, sizeof key);
    return crc.checksum();
  }

  using BitsOfLastByte = std::array<Checksum, 256>;
  static BitsOfLastByte bits_of_last_byte() {
    BitsOfLastByte bits;
    for (Psn psn = 0; psn < bits.size(); ++psn) bits[psn] = checksum(0, psn) ^ checksum(0, 0);
    return bits;
  }
  static inline const BitsOfLastByte kBitsOfLastByte = bits_of_last_byte();

  JobId job_;
  std::uint32_t high_ = 0;
  Checksum of_high_;
};

/// A hash in which each bit of the fields changes each bit of the result with probability 1/2.
class HashByMixing {
 public:
  explicit HashByMixing(JobId job) : job_(std::uint64_t{job} << 32) {}

  std::uint64_t of_fragment(Psn psn) const { return numeric::split_mix(job_ | psn, 1); }
  /// Uses another stream than of_fragment(), so that an index and a fragment never hash alike.
  std::uint64_t of_index(std::uint32_t index) const { return numeric::split_mix(index, 2); }

 private:
  std::uint64_t job_;
};

/// Maps a job's fragments to aggregators by hashing.
class AggregatorHash {
 public:
  AggregatorHash(JobId job, std::uint32_t aggregators, Hash hash = kDefaultHash);

  /// HASH(job, PSN) mod the number of aggregators (ATP 3.5, DSA III.B).
  [[gnu::always_inline]] std::uint32_t index(Psn psn) {
    const auto index_by = [&](auto& hash) { return modulo(hash.of_fragment(psn)); };
    // Fast path for the default hash, since std::visit() makes an indirect call.
    if (auto* const usual = std::get_if<HashByCrc<Crc32>>(&hash_)) [[likely]]
      return index_by(*usual);
    return std::visit(index_by, hash_);
  }

  /// The next index after a collision: HASH(aggregatorIndex) mod the number of aggregators (ATP
  /// 3.6).
  std::uint32_t rehash(std::uint32_t index) const {
    return std::visit([&](auto& hash) { return modulo(hash.of_index(index)); }, hash_);
  }

 private:
  /// Divides in the width of the hash value, since a 32-bit division takes half the time of a
  /// 64-bit one.
  std::uint32_t modulo(auto value) const {
    return static_cast<std::uint32_t>(value % aggregators_);
  }

  std::uint32_t aggregators_;
  std::variant<HashByCrc<Crc32>, HashByCrc<Crc16>, HashByCrc<Crc32c>, HashByCrc<Crc32Bzip2>,
               HashByCrc<Crc64>, HashByMixing>
      hash_;
};

/// Aggregator index of a single fragment.
inline std::uint32_t aggregator_index(JobId job, Psn psn, std::uint32_t aggregators,
                                      Hash hash = kDefaultHash) {
  return AggregatorHash(job, aggregators, hash).index(psn);
}

}  // namespace ina::wire
