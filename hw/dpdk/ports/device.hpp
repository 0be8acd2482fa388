// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/link_use.hpp"
#include "hw/dpdk/ports/mempool.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/format.hpp"

namespace ina::ports {

/// Interval at which loops call Device::link_is_up(). Within this time, a loop notices that a link
/// is down, and a memif client begins to reconnect.
inline constexpr Time kLinkCheck = std::chrono::milliseconds(100);

/// A started DPDK port that serves a number of cores. If the driver supports it, each core has a
/// queue per direction. Otherwise only the home core has queues, and rings connect the other cores
/// to the home core. Flow rules of the NIC, if available, spread received frames over the queues.
class Device {
 public:
  using Ring = boost::lockfree::spsc_queue<rte_mbuf*>;
  struct Sharing {
    unsigned cores = 1;
    unsigned home = 0;
  };

  /// Configures and starts the port of a device of the Eal. Throws PortError.
  Device(const std::string& device, wire::Format format, rte_mempool& buffers,
         const Sharing& sharing);
  Device(const std::string& device, wire::Format format, rte_mempool& buffers)
      : Device(device, format, buffers, Sharing()) {}
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  std::uint16_t id() const { return id_; }
  /// The core that watches the link. If only one core has queues, it is this core.
  unsigned home() const { return sharing_.home; }
  rte_mempool& buffers() { return buffers_; }
  /// Whether the link is up. A memif client whose connection has ended begins a new one. Call this
  /// from the home core only.
  bool link_is_up();

  /// Do what rte_eth_rx_burst() and rte_eth_tx_burst() do, but move no frame while the driver's own
  /// thread is changing the link.
  std::uint16_t receive(std::uint16_t queue, rte_mbuf** buffers, std::uint16_t count) {
    return in_driver([&] { return rte_eth_rx_burst(id_, queue, buffers, count); });
  }
  std::uint16_t transmit(std::uint16_t queue, rte_mbuf** buffers, std::uint16_t count) {
    return in_driver([&] { return rte_eth_tx_burst(id_, queue, buffers, count); });
  }

  /// Index of a core's queue, in both directions. None if only the home core has queues.
  std::optional<std::uint16_t> queue_of(unsigned core) const;
  /// The ring from a core without a queue to the home core.
  Ring& ring_from(unsigned core) { return *rings_[core]; }
  /// The rings through which other cores pass frames to this core, which sends them.
  std::vector<Ring*> rings_to(unsigned core) const;

  /// Description, for users, of the way in which received frames reach their cores.
  const std::string& queue_layout() const { return queue_layout_; }

 private:
  void set_up_queues();
  void connect_again();
  template <class Burst>
  std::uint16_t in_driver(Burst&& burst) {
    if (use_ == nullptr) return burst();
    if (!use_->begin()) return 0;
    const std::uint16_t moved = burst();
    use_->end();
    return moved;
  }

  std::string name_;
  rte_mempool& buffers_;
  Sharing sharing_;
  std::uint16_t id_ = 0;
  LinkUse* use_;  // null if the core may use the link at any time
  std::uint16_t queues_ = 1;
  std::string queue_layout_;
  std::vector<std::unique_ptr<Ring>> rings_;  // by core, if the cores share one queue
};

}  // namespace ina::ports
