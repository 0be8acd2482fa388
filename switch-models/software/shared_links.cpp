// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/shared_links.hpp"

namespace ina::software {

faults::LinkFaults::Outcome FaultyDirection::decide(const Frame& frame, Time now) {
  const std::lock_guard lock(mutex_);
  return faults::decide(faults_, frame, now);
}

SharedLinks::Link& SharedLinks::link(std::size_t port) {
  if (port >= links_.size()) links_.resize(port + 1);
  if (!links_[port]) links_[port] = std::make_unique<Link>(alone_);
  return *links_[port];
}

}  // namespace ina::software
