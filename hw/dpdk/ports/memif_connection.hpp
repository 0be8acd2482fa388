// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "hw/dpdk/ports/descriptor.hpp"
#include "hw/dpdk/ports/link_use.hpp"

namespace ina::ports {

/// What a memif client and the driver of the server say to each other.
class MemifConnection {
 public:
  /// `use_of(id)`: of the link that the client asks for by this number; none if there is no such.
  using UseOf = std::function<LinkUse*(std::uint32_t id)>;

  MemifConnection(Descriptor client, Descriptor driver, UseOf use_of)
      : client_(std::move(client)), driver_(std::move(driver)), use_of_(std::move(use_of)) {}

  int client() const { return client_.number(); }
  int driver() const { return driver_.number(); }

  /// Passes on what there is to read, a message or that it was the last, and returns when the
  /// driver has done what it does then. False if it was the last.
  bool pass_on_from_client();
  bool pass_on_from_driver();

 private:
  Descriptor client_;
  Descriptor driver_;
  UseOf use_of_;
  LinkUse* use_ = nullptr;  // of the link, when the client has asked for one
};

}  // namespace ina::ports
