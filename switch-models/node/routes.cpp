// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/node/routes.hpp"

#include <algorithm>

#include "hw/protocol/numeric/split_mix.hpp"

namespace ina::node {

PortIndex Routes::add_port(PortTo end) {
  const auto port = static_cast<PortIndex>(leads_to_switch_.size());
  leads_to_switch_.push_back(end == PortTo::other_switch ? 1 : 0);
  return port;
}

void Routes::set(std::span<const HostId> hosts, const std::vector<PortIndex>& ports) {
  PortIndex route = ports.front();
  if (ports.size() > 1) {
    const auto known = std::ranges::find(sets_, ports);
    route = static_cast<PortIndex>(kFirstSet + (known - sets_.begin()));
    if (known == sets_.end()) sets_.push_back(ports);
  }
  for (const HostId host : hosts) {
    if (host >= route_of_.size()) route_of_.resize(host + std::size_t{1}, kNoPort);
    route_of_[host] = route;
  }
}

std::span<const PortIndex> Routes::ports_to(HostId host) const {
  const PortIndex route = route_of(host);
  if (route == kNoPort) return {};
  if (route < kFirstSet) return {&route_of_[host], 1};
  return sets_[route - kFirstSet];
}

bool Routes::is_one_of_several(PortIndex port, HostId host) const {
  const std::span<const PortIndex> ports = ports_to(host);
  return std::ranges::find(ports, port) != ports.end();
}

const PortIndex& Routes::pick(std::span<const PortIndex> ports, std::uint64_t flow) const {
  return ports[wire::pick(numeric::split_mix(choice_.seed, flow), height_, ports.size())];
}

}  // namespace ina::node
