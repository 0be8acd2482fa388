// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/steering.hpp"

namespace ina::ports {

unsigned Steering::owner_of(std::span<const std::byte> bytes) const {
  if (wire::is_registration(bytes)) return kRegistrationCore;
  const auto aggregator = wire::aggregator_in(format_, bytes);
  return aggregator ? wire::core_of(*aggregator, rings_.cores()) : core_;
}

bool Steering::hands_on(rte_mbuf& buffer) {
  const auto* const bytes = rte_pktmbuf_mtod(&buffer, const std::byte*);
  const unsigned owner = owner_of({bytes, buffer.data_len});
  if (owner == core_) return false;
  rings_.put(core_, owner, &buffer);
  return true;
}

std::size_t Steering::flush() {
  std::size_t dropped = 0;
  rings_.flush(core_, [&](rte_mbuf* buffer) {
    rte_pktmbuf_free(buffer);
    ++dropped;
  });
  return dropped;
}

}  // namespace ina::ports
