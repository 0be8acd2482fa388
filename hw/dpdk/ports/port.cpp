// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/port.hpp"

#include <algorithm>
#include <cstring>

#include "hw/protocol/wire/headers.hpp"

namespace ina::ports {

namespace {

/// Minimum frame length of IEEE 802.3, without the frame check sequence. Shorter frames are padded.
constexpr std::size_t kLeastEthernetBytes = 60;

}  // namespace

PortCounters& PortCounters::operator+=(const PortCounters& other) {
  frames_sent += other.frames_sent;
  bytes_sent += other.bytes_sent;
  frames_received += other.frames_received;
  bytes_received += other.bytes_received;
  malformed += other.malformed;
  dropped += other.dropped;
  return *this;
}

std::span<const std::byte> without_padding(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeaders = sizeof(wire::EthernetHeader) + sizeof(wire::Ipv4Header);
  if (bytes.size() != kLeastEthernetBytes) return bytes;
  wire::Ipv4Header ip;
  static_assert(kLeastEthernetBytes >= kHeaders);
  std::memcpy(&ip, bytes.data() + sizeof(wire::EthernetHeader), sizeof ip);
  return bytes.first(
      std::min(bytes.size(), sizeof(wire::EthernetHeader) + ip.total_length.value()));
}

Port::Port(Device& device, wire::Format format, ValuePool& values, unsigned core,
           Steering* steering)
    : device_(device),
      format_(format),
      values_(values),
      steering_(steering),
      queue_(device.queue_of(core)),
      ring_(queue_ ? nullptr : &device.ring_from(core)),
      relayed_rings_(device.rings_to(core)) {}

Port::~Port() {
  for (Burst* waiting : {&own_, &relayed_}) {
    rte_pktmbuf_free_bulk(waiting->buffers.data() + waiting->first,
                          static_cast<unsigned>(waiting->end - waiting->first));
  }
}

std::optional<Frame> Port::decode(const rte_mbuf& buffer) {
  const auto* const data = rte_pktmbuf_mtod(&buffer, const std::byte*);
  const std::span<const std::byte> bytes = without_padding({data, buffer.data_len});
  if (buffer.nb_segs == 1) {
    if (auto frame = wire::decode(format_, bytes, values_)) return frame;
    const auto message = take_registration_ ? wire::decode_registration(bytes) : std::nullopt;
    if (message) {
      take_registration_(*message);
      return std::nullopt;
    }
  }
  ++counters_.malformed;
  return std::nullopt;
}

void Port::set_length(rte_mbuf& buffer, std::size_t length) {
  buffer.data_len = static_cast<std::uint16_t>(length);
  buffer.pkt_len = static_cast<std::uint32_t>(length);
}

void Port::encode(const Frame& frame, rte_mbuf& buffer) {
  auto* const bytes = rte_pktmbuf_mtod(&buffer, std::byte*);
  set_length(buffer, wire::encode(format_, frame, {bytes, rte_pktmbuf_tailroom(&buffer)}));
}

void Port::send(const wire::RegistrationMessage& message) {
  if (!flush(own_) && own_.end == kBurst) return;
  rte_mbuf* const buffer = rte_pktmbuf_alloc(&device_.buffers());
  if (buffer == nullptr) return;
  auto* const bytes = rte_pktmbuf_mtod(buffer, std::byte*);
  set_length(*buffer, wire::encode(message, {bytes, rte_pktmbuf_tailroom(buffer)}));
  own_.buffers[own_.end++] = buffer;
  flush(own_);
}

std::uint16_t Port::put(rte_mbuf** buffers, std::uint16_t count) {
  if (ring_ != nullptr) return static_cast<std::uint16_t>(ring_->push(buffers, count));
  std::uint64_t bytes = 0;
  std::array<std::uint16_t, kBurst> lengths{};
  for (std::uint16_t i = 0; i < count; ++i) lengths[i] = buffers[i]->data_len;
  const std::uint16_t sent = device_.transmit(*queue_, buffers, count);
  for (std::uint16_t i = 0; i < sent; ++i) bytes += lengths[i];
  counters_.frames_sent += sent;
  counters_.bytes_sent += bytes;
  return sent;
}

bool Port::flush(Burst& waiting) {
  if (waiting.empty()) return true;
  const auto count = static_cast<std::uint16_t>(waiting.end - waiting.first);
  const std::uint16_t left = put(waiting.buffers.data() + waiting.first, count);
  moved_ += left;
  waiting.first = static_cast<std::uint16_t>(waiting.first + left);
  if (!waiting.empty()) return false;
  waiting.first = waiting.end = 0;
  return true;
}

/// Sends up to one burst from each ring, round-robin.
void Port::relay() {
  for (std::size_t i = 0; i < relayed_rings_.size(); ++i) {
    if (!flush(relayed_)) return;
    Device::Ring& ring = *relayed_rings_[next_relayed_];
    relayed_.end = static_cast<std::uint16_t>(ring.pop(relayed_.buffers.data(), kBurst));
    next_relayed_ = (next_relayed_ + 1) % relayed_rings_.size();
  }
  flush(relayed_);
}

}  // namespace ina::ports
