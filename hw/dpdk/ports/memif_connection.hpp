// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "hw/dpdk/ports/descriptor.hpp"
#include "hw/dpdk/ports/link_use.hpp"

namespace ina::ports {

/// The messages between the driver of this process and the remote end of its memif link. While the
/// driver does what a remote message asks for, the link's core stays out of it.
class MemifConnection {
 public:
  /// `use_of(id)`: the link that the client asks for by this number; none if there is no such link.
  using UseOf = std::function<LinkUse*(std::uint32_t id)>;

  /// The driver is a server: the link is known when its client has asked for it.
  MemifConnection(Descriptor remote, Descriptor driver, UseOf use_of)
      : remote_(std::move(remote)), driver_(std::move(driver)), use_of_(std::move(use_of)) {}
  /// The driver is the client.
  MemifConnection(Descriptor remote, Descriptor driver, LinkUse& use)
      : remote_(std::move(remote)), driver_(std::move(driver)), use_(&use) {}

  int remote() const { return remote_.number(); }
  int driver() const { return driver_.number(); }

  /// Passes on what there is to read, a message or that it was the last, and returns when the
  /// driver has done what it does then. False if it was the last.
  bool pass_on_from_remote();
  bool pass_on_from_driver();

 private:
  Descriptor remote_;
  Descriptor driver_;
  UseOf use_of_;            // of a server
  LinkUse* use_ = nullptr;  // of the link, once it is known
};

}  // namespace ina::ports
