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

/// Interval at which loops call link_is_up(): within about this time a lost link is noticed, and a
/// memif client connects again.
inline constexpr Time kLinkCheck = std::chrono::milliseconds(100);

/// A DPDK port, started, for a number of cores: with a queue each way for each of them, if its
/// driver has several, or else with one, which is its home core's, and rings to that from the
/// others. What comes in is spread over the queues by flow rules of the NIC, if it knows such.
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
  /// The core that has its queue if it has one only, and keeps its link.
  unsigned home() const { return sharing_.home; }
  rte_mempool& buffers() { return buffers_; }
  /// A memif client whose connection has ended begins another one. For the home core.
  bool link_is_up();

  /// As rte_eth_rx_burst() and rte_eth_tx_burst(); nothing moves while the driver is at work on the
  /// link itself.
  std::uint16_t receive(std::uint16_t queue, rte_mbuf** buffers, std::uint16_t count) {
    return in_driver([&] { return rte_eth_rx_burst(id_, queue, buffers, count); });
  }
  std::uint16_t transmit(std::uint16_t queue, rte_mbuf** buffers, std::uint16_t count) {
    return in_driver([&] { return rte_eth_tx_burst(id_, queue, buffers, count); });
  }

  /// The queue, each way, of a core; none if it has to send through the home core.
  std::optional<std::uint16_t> queue_of(unsigned core) const;
  /// To the home core, of one that has no queue.
  Ring& ring_from(unsigned core) { return *rings_[core]; }
  /// To this core.
  std::vector<Ring*> rings_to(unsigned core) const;

  /// How frames come to their cores, for people.
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
  LinkUse* use_;  // if the driver has to be kept out of it at times
  std::uint16_t queues_ = 1;
  std::string queue_layout_;
  std::vector<std::unique_ptr<Ring>> rings_;  // by core, if there is one queue for several
};

}  // namespace ina::ports
