// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/shared_links.hpp"

namespace ina::software {

faults::LinkFaults::Fate FaultyDirection::decide(const Frame& frame, Time now) {
  const std::lock_guard lock(mutex_);
  return faults::decide(faults_, frame, now);
}

SharedLinks::Link& SharedLinks::link(HostId host) {
  if (host >= links_.size()) links_.resize(host + std::size_t{1});
  if (!links_[host]) links_[host] = std::make_unique<Link>(alone_);
  return *links_[host];
}

}  // namespace ina::software
