// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <boost/crc.hpp>
#include <boost/endian/buffers.hpp>
#include <cstdint>
#include <string_view>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// Which aggregators the fragments of a job have.
enum class AddressingScheme : std::uint8_t {
  table,   ///< a job's own table of distinct indices, PSN modulo its size (ATP's published code)
  hash,    ///< CRC32(job, PSN) modulo the number of aggregators (ATP 3.5, DSA III.B)
  linear,  ///< PSN modulo the number of aggregators (ATP 5.3.2, the baseline)
};
/// In the order of AddressingScheme.
inline constexpr std::array<std::string_view, 3> kAddressingNames = {"table", "hash", "linear"};

constexpr std::string_view name_of(AddressingScheme scheme) {
  return kAddressingNames[static_cast<std::size_t>(scheme)];
}

/// ATP 5.3.1: the aggregators that one job at 100 Gbps keeps busy.
inline constexpr std::uint32_t kTableEntries = 660;

/// The same at a job's workers and its server.
struct AddressingConfig {
  std::uint32_t aggregators = 1;
  AddressingScheme scheme = AddressingScheme::hash;
  bool rehash = false;  ///< hash: a collision gives the index another one (ATP 3.6)
  /// table: at most as many fragments of a worker are under way; cut to the aggregators.
  std::uint32_t table_entries = kTableEntries;
};

/// The aggregators of a job's fragments: CRC32(job, PSN) mod the number of aggregators (ATP 3.5,
/// DSA III.B), over the two fields as they stand in the header.
class AggregatorHash {
 public:
  AggregatorHash(JobId job, std::uint32_t aggregators)
      : job_(job), aggregators_(aggregators), crc_(prefix(0)) {}

  /// Consecutive PSNs share all bytes but the last, and so the checksum up to it.
  std::uint32_t index(Psn psn) {
    if (psn >> 8 != high_) {
      high_ = psn >> 8;
      crc_ = prefix(high_);
    }
    boost::crc_32_type crc = crc_;
    crc.process_byte(static_cast<unsigned char>(psn));
    return crc.checksum() % aggregators_;
  }

 private:
  boost::crc_32_type prefix(std::uint32_t high) const {
    const struct {
      big_uint16_buf_t job;
      boost::endian::big_uint24_buf_t psn_without_last_byte;
    } key{big_uint16_buf_t(job_), boost::endian::big_uint24_buf_t(high)};
    static_assert(sizeof key == 5);
    boost::crc_32_type crc;
    crc.process_bytes(&key, sizeof key);
    return crc;
  }

  JobId job_;
  std::uint32_t aggregators_;
  std::uint32_t high_ = 0;
  boost::crc_32_type crc_;
};

/// The same for a single fragment.
inline std::uint32_t aggregator_index(JobId job, Psn psn, std::uint32_t aggregators) {
  return AggregatorHash(job, aggregators).index(psn);
}

/// The next index after a collision: HASH(aggregatorIndex) mod the number of aggregators (ATP 3.6).
inline std::uint32_t rehash(std::uint32_t index, std::uint32_t aggregators) {
  const big_uint32_buf_t key(index);
  boost::crc_32_type crc;
  crc.process_bytes(&key, sizeof key);
  return crc.checksum() % aggregators;
}

}  // namespace ina::wire
