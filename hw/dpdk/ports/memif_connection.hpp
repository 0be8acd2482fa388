// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "hw/dpdk/ports/descriptor.hpp"
#include "hw/dpdk/ports/link_use.hpp"

namespace ina::ports {

/// Forwards messages between the driver of this process and the remote end of its memif link. While
/// the driver acts on a remote message, the link's core stays out of the driver.
class MemifConnection {
 public:
  /// `use_of(id)`: LinkUse of the link that the client asks for by its number; null if there is no
  /// link with this number.
  using UseOf = std::function<LinkUse*(std::uint32_t id)>;

  /// For a driver that is a server: the link becomes known when its client asks for it.
  MemifConnection(Descriptor remote, Descriptor driver, UseOf use_of)
      : remote_(std::move(remote)), driver_(std::move(driver)), use_of_(std::move(use_of)) {}
  /// For a driver that is the client.
  MemifConnection(Descriptor remote, Descriptor driver, LinkUse& use)
      : remote_(std::move(remote)), driver_(std::move(driver)), use_(&use) {}

  int remote() const { return remote_.number(); }
  int driver() const { return driver_.number(); }

  /// Both forward one message, or the end of the connection. pass_on_from_remote() then waits until
  /// the driver has acted on it. Both return false at the end of the connection.
  bool pass_on_from_remote();
  bool pass_on_from_driver();

 private:
  Descriptor remote_;
  Descriptor driver_;
  UseOf use_of_;            // if the driver is a server
  LinkUse* use_ = nullptr;  // null until the link is known
};

}  // namespace ina::ports
