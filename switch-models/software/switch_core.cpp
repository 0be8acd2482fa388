// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/switch_core.hpp"

#include <utility>

namespace ina::software {

SwitchCore::SwitchCore(unsigned core, wire::Protocol protocol, SoftwareSwitch& part,
                       ValuePool& values, const std::vector<HostDevice>& devices,
                       ports::BufferHandover* handover)
    : name_(handover == nullptr ? "" : "core " + std::to_string(core) + ", "), part_(part) {
  if (handover != nullptr) steering_.emplace(*handover, core, protocol);
  for (const HostDevice& one : devices) {
    const std::size_t id = one.device->id();
    if (id >= by_id_.size()) by_id_.resize(id + 1);
    by_id_[id] = ports_.size();
    ports_.push_back({one.host, std::make_unique<ports::Port>(*one.device, protocol, values, core,
                                                              steering_ ? &*steering_ : nullptr)});
  }
}

std::size_t SwitchCore::step(Time now) {
  std::size_t moved = receive(now);
  if (part_.deadline() <= now) part_.expire(now);
  for (HostPort& port : ports_) {
    moved += port.port->send([&](Frame& out) { return part_.next(port.host, out); });
  }
  return moved;
}

std::size_t SwitchCore::receive(Time now) {
  std::size_t moved = 0;
  for (HostPort& port : ports_) {
    moved +=
        port.port->receive([&](Frame&& frame) { part_.receive(std::move(frame), port.host, now); });
  }
  if (!steering_) return moved;
  return moved + steering_->collect([&](const rte_mbuf& buffer) {
    HostPort& port = ports_[by_id_[buffer.port]];
    if (auto frame = port.port->decode(buffer)) part_.receive(std::move(*frame), port.host, now);
  });
}

void SwitchCore::print_stats(Time now) const {
  for (const HostPort& port : ports_) {
    ports::print_stats(now, name_ + "port of host " + std::to_string(port.host),
                       port.port->counters());
  }
}

}  // namespace ina::software
