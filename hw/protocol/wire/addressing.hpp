// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/crc.hpp>
#include <boost/endian/buffers.hpp>
#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// The aggregator of a fragment: CRC32(job, PSN) mod the number of aggregators (ATP 3.5, DSA III.B), over the two
/// fields as they stand in the header.
inline std::uint32_t aggregator_index(JobId job, Psn psn, std::uint32_t aggregators) {
  const struct {
    big_uint16_buf_t job;
    big_uint32_buf_t psn;
  } key{big_uint16_buf_t(job), big_uint32_buf_t(psn)};
  static_assert(sizeof key == 6);
  boost::crc_32_type crc;
  crc.process_bytes(&key, sizeof key);
  return crc.checksum() % aggregators;
}

/// The next index after a collision: HASH(aggregatorIndex) mod the number of aggregators (ATP 3.6).
inline std::uint32_t rehash(std::uint32_t index, std::uint32_t aggregators) {
  const big_uint32_buf_t key(index);
  boost::crc_32_type crc;
  crc.process_bytes(&key, sizeof key);
  return crc.checksum() % aggregators;
}

}  // namespace ina::wire
