// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/switch_core.hpp"

#include <utility>

namespace ina::software {

SwitchCore::SwitchCore(unsigned core, wire::Format format, SoftwareSwitch& part, ValuePool& values,
                       const std::vector<PortDevice>& devices, ports::BufferRings* rings)
    : name_(rings == nullptr ? "" : "core " + std::to_string(core) + ", "),
      part_(part),
      look_at_links_(ports::kLinkCheck) {
  if (rings != nullptr) steering_.emplace(*rings, core, format);
  for (const PortDevice& one : devices) {
    const std::size_t id = one.device->id();
    if (id >= by_id_.size()) by_id_.resize(id + 1);
    by_id_[id] = static_cast<PortIndex>(ports_.size());
    peers_.push_back(one.peer);
    if (one.device->home() == core) own_devices_.push_back(one.device.get());
    ports_.push_back(std::make_unique<ports::Port>(*one.device, format, values, core,
                                                   steering_ ? &*steering_ : nullptr));
  }
}

void SwitchCore::handle(Registrations& registrations) {
  registrations_ = &registrations;
  for (PortIndex port = 0; port < ports_end(); ++port) {
    ports_[port]->on_registration([this, port](const wire::RegistrationMessage& message) {
      registrations_->receive(message, port, now_);
    });
  }
}

std::size_t SwitchCore::step(Time now) {
  now_ = now;
  if (look_at_links_.is_due(now)) {  // reconnects to a switch that was restarted
    for (ports::Device* const device : own_devices_) device->link_is_up();
  }
  std::size_t moved = receive(now);
  if (registrations_ != nullptr) send_registrations();
  if (part_.deadline() <= now) part_.expire(now);
  for (PortIndex port = 0; port < ports_end(); ++port) {
    moved += ports_[port]->send([&](Frame& out) { return part_.next(port, out); });
  }
  return moved;
}

void SwitchCore::send_registrations() {
  for (const auto& [port, message] : registrations_->take_outgoing()) {
    ports_[port]->send(message);
  }
}

std::size_t SwitchCore::receive(Time now) {
  std::size_t moved = 0;
  for (PortIndex port = 0; port < ports_end(); ++port) {
    moved +=
        ports_[port]->receive([&](Frame&& frame) { part_.receive(std::move(frame), port, now); });
  }
  if (!steering_) return moved;
  return moved + steering_->collect([&](const rte_mbuf& buffer) {
    const PortIndex port = by_id_[buffer.port];
    if (auto frame = ports_[port]->decode(buffer)) part_.receive(std::move(*frame), port, now);
  });
}

void SwitchCore::print_stats(Time now) const {
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    ports::print_stats(now, name_ + "port to " + peers_[port], ports_[port]->counters());
  }
}

}  // namespace ina::software
