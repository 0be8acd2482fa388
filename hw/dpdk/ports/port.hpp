// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hw/dpdk/ports/mempool.hpp"
#include "hw/protocol/wire/codec.hpp"

namespace ina::ports {

struct PortCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t malformed = 0;  ///< of the frames received: dropped
};

/// The frame that an Ethernet frame holds, without the padding that a NIC adds to a short one.
std::span<const std::byte> without_padding(std::span<const std::byte> bytes);

/// A DPDK port with a queue each way, as a place where frames come and go. A frame that was taken
/// for sending is never dropped here: it waits until the queue has room.
class Port {
 public:
  /// Configures and starts the port of a device of the Eal. Throws PortError.
  Port(const std::string& device, wire::Protocol protocol, ValuePool& values, rte_mempool& buffers);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  bool link_is_up() const;

  /// Calls `take(Frame&&)` for what came in, up to a burst. Returns how many frames that were.
  template <class Take>
  std::size_t receive(Take&& take);

  /// Sends what `next(Frame&)` gives until that has no more or the queue is full. Returns how many
  /// frames left.
  template <class Next>
  std::size_t send(Next&& next);

  const PortCounters& counters() const { return counters_; }

 private:
  std::optional<Frame> decode(const rte_mbuf& buffer);
  /// Appends to what waits.
  void encode(const Frame& frame, rte_mbuf& buffer);
  /// Sends what waits; false if some of it still does.
  bool flush();

  std::string name_;
  wire::Protocol protocol_;
  ValuePool& values_;
  rte_mempool& buffers_;
  std::uint16_t id_ = 0;
  PortCounters counters_;
  std::array<rte_mbuf*, kBurst> waiting_{};
  std::uint16_t first_waiting_ = 0;
  std::uint16_t end_waiting_ = 0;
};

template <class Take>
std::size_t Port::receive(Take&& take) {
  std::array<rte_mbuf*, kBurst> burst{};
  const std::uint16_t count = rte_eth_rx_burst(id_, 0, burst.data(), kBurst);
  for (std::uint16_t i = 0; i < count; ++i) {
    if (auto frame = decode(*burst[i])) take(std::move(*frame));
  }
  if (count != 0) rte_pktmbuf_free_bulk(burst.data(), count);
  return count;
}

template <class Next>
std::size_t Port::send(Next&& next) {
  const std::uint64_t before = counters_.frames_sent;
  Frame frame;
  bool more = true;
  while (flush() && more) {
    while (more && end_waiting_ < kBurst) {
      rte_mbuf* const buffer = rte_pktmbuf_alloc(&buffers_);
      more = buffer != nullptr && next(frame);
      if (more) {
        encode(frame, *buffer);
      } else {
        rte_pktmbuf_free(buffer);
      }
    }
  }
  return counters_.frames_sent - before;
}

}  // namespace ina::ports
