// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hw/dpdk/ports/device.hpp"
#include "hw/dpdk/ports/mempool.hpp"
#include "hw/dpdk/ports/steering.hpp"
#include "hw/protocol/wire/codec.hpp"
#include "hw/protocol/wire/registration.hpp"

namespace ina::ports {

struct PortCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t malformed = 0;  ///< received frames that were dropped as malformed
  std::uint64_t dropped = 0;    ///< received frames that were dropped because the ring to their
                                ///< core was full

  PortCounters& operator+=(const PortCounters& other);
};

/// The frame without the padding that a NIC adds to short Ethernet frames.
std::span<const std::byte> without_padding(std::span<const std::byte> bytes);

/// One core's end of a device, through which it receives and sends frames. Several cores may share
/// the device. A frame accepted for sending is never dropped here: it waits until there is room.
class Port {
 public:
  /// `steering`: passes received frames to other cores; null unless several share the device.
  Port(Device& device, wire::Format format, ValuePool& values, unsigned core, Steering* steering);
  Port(Device& device, wire::Format format, ValuePool& values)
      : Port(device, format, values, 0, nullptr) {}
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// Calls `take(Frame&&)` for received frames of this core, at most one burst. Returns the number
  /// of frames received, including those for other cores.
  template <class Take>
  std::size_t receive(Take&& take);
  /// Decodes a buffer that any core received from this device. Returns nothing if the frame is
  /// malformed. A registration message goes to the handler; then also returns nothing.
  std::optional<Frame> decode(const rte_mbuf& buffer);

  /// Sets the handler of received registration messages. Without one, they count as malformed.
  void on_registration(std::function<void(const wire::RegistrationMessage&)> take) {
    take_registration_ = std::move(take);
  }

  /// First sends the frames that other cores send through this core's queue, then frames of
  /// `next(Frame&)` until it returns false or the queue is full. Returns the number of frames sent.
  template <class Next>
  std::size_t send(Next&& next);

  /// Sends a registration message. Drops it if there is no room: lost messages are sent again.
  void send(const wire::RegistrationMessage& message);

  const PortCounters& counters() const { return counters_; }

 private:
  /// Buffers that wait for room.
  struct Burst {
    std::array<rte_mbuf*, kBurst> buffers{};
    std::uint16_t first = 0;
    std::uint16_t end = 0;

    bool empty() const { return first == end; }
  };

  void count_received(const rte_mbuf& buffer) {
    ++counters_.frames_received;
    counters_.bytes_received += buffer.pkt_len;
  }
  static void set_length(rte_mbuf& buffer, std::size_t length);
  void encode(const Frame& frame, rte_mbuf& buffer);
  /// Sends as many of the waiting buffers as fit. Returns whether all were sent.
  bool flush(Burst& waiting);
  std::uint16_t put(rte_mbuf** buffers, std::uint16_t count);
  void relay();

  Device& device_;
  wire::Format format_;
  ValuePool& values_;
  Steering* steering_;
  std::optional<std::uint16_t> queue_;
  Device::Ring* ring_ = nullptr;  // used if this core has no queue
  std::vector<Device::Ring*> relayed_rings_;
  std::size_t next_relayed_ = 0;  // index into relayed_rings_
  std::function<void(const wire::RegistrationMessage&)> take_registration_;
  PortCounters counters_;
  std::size_t moved_ = 0;  // during the current send()
  Burst own_;
  Burst relayed_;
};

template <class Take>
std::size_t Port::receive(Take&& take) {
  if (!queue_) return 0;
  std::array<rte_mbuf*, kBurst> burst{};
  const std::uint16_t count = device_.receive(*queue_, burst.data(), kBurst);
  std::uint16_t kept = 0;
  for (std::uint16_t i = 0; i < count; ++i) {
    count_received(*burst[i]);
    burst[i]->port = device_.id();  // not all drivers set it
    if (steering_ != nullptr && steering_->hands_on(*burst[i])) continue;
    if (auto frame = decode(*burst[i])) take(std::move(*frame));
    burst[kept++] = burst[i];
  }
  if (kept != 0) rte_pktmbuf_free_bulk(burst.data(), kept);
  if (steering_ != nullptr) counters_.dropped += steering_->flush();
  return count;
}

template <class Next>
std::size_t Port::send(Next&& next) {
  moved_ = 0;
  if (!relayed_rings_.empty()) relay();
  Frame frame;
  bool more = true;
  while (flush(own_) && more) {
    while (more && own_.end < kBurst) {
      rte_mbuf* const buffer = rte_pktmbuf_alloc(&device_.buffers());
      more = buffer != nullptr && next(frame);
      if (more) {
        encode(frame, *buffer);
        own_.buffers[own_.end++] = buffer;
      } else {
        rte_pktmbuf_free(buffer);
      }
    }
  }
  return moved_;
}

}  // namespace ina::ports
