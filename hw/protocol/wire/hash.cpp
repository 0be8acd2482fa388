// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/hash.hpp"

namespace ina::wire {

AggregatorHash::AggregatorHash(JobId job, std::uint32_t aggregators, Hash hash)
    : aggregators_(aggregators), hash_(HashByCrc<Crc32>(job)) {
  switch (hash) {
    case Hash::crc16:
      hash_ = HashByCrc<Crc16>(job);
      break;
    case Hash::crc32:
      break;
    case Hash::crc32c:
      hash_ = HashByCrc<Crc32c>(job);
      break;
    case Hash::crc32_bzip2:
      hash_ = HashByCrc<Crc32Bzip2>(job);
      break;
    case Hash::crc64:
      hash_ = HashByCrc<Crc64>(job);
      break;
    case Hash::ideal:
      hash_ = HashByMixing(job);
      break;
  }
}

}  // namespace ina::wire
