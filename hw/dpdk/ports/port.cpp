// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/port.hpp"

#include <rte_errno.h>

#include <algorithm>
#include <cstring>

#include "hw/dpdk/ports/captured_errors.hpp"
#include "hw/dpdk/ports/eal.hpp"
#include "hw/protocol/wire/headers.hpp"

namespace ina::ports {

namespace {

/// IEEE 802.3, without the frame check sequence: what is shorter arrives padded to it.
constexpr std::size_t kLeastEthernetBytes = 60;

void require(int status, const std::string& name, const char* what) {
  if (status == 0) return;
  throw PortError(name + ": DPDK cannot " + what + ": " + rte_strerror(-status));
}

/// Its driver may have more to say than a status.
void start(std::uint16_t id, const std::string& name) {
  CapturedErrors errors;
  if (rte_eth_dev_start(id) == 0) return;
  throw PortError(name + ": DPDK cannot start this port: " + errors.text());
}

std::uint16_t id_of(const std::string& name) {
  std::uint16_t id = 0;
  require(rte_eth_dev_get_port_by_name(name.c_str(), &id), name, "find this port");
  return id;
}

/// What the port lies in the memory of, or the first.
unsigned socket_of(std::uint16_t id) {
  const int socket = rte_eth_dev_socket_id(id);
  return socket < 0 ? 0 : static_cast<unsigned>(socket);
}

}  // namespace

std::span<const std::byte> without_padding(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeaders = sizeof(wire::EthernetHeader) + sizeof(wire::Ipv4Header);
  if (bytes.size() != kLeastEthernetBytes) return bytes;
  wire::Ipv4Header ip;
  static_assert(kLeastEthernetBytes >= kHeaders);
  std::memcpy(&ip, bytes.data() + sizeof(wire::EthernetHeader), sizeof ip);
  return bytes.first(
      std::min(bytes.size(), sizeof(wire::EthernetHeader) + ip.total_length.value()));
}

Port::Port(const std::string& device, wire::Protocol protocol, ValuePool& values,
           rte_mempool& buffers)
    : name_(name_of_device(device)),
      protocol_(protocol),
      values_(values),
      buffers_(buffers),
      id_(id_of(name_)) {
  const rte_eth_conf config{};
  require(rte_eth_dev_configure(id_, 1, 1, &config), name_, "configure this port");
  std::uint16_t to_receive = kDescriptors;
  std::uint16_t to_send = kDescriptors;
  require(rte_eth_dev_adjust_nb_rx_tx_desc(id_, &to_receive, &to_send), name_, "size its queues");
  const unsigned socket = socket_of(id_);
  require(rte_eth_rx_queue_setup(id_, 0, to_receive, socket, nullptr, &buffers_), name_,
          "set up its receive queue");
  require(rte_eth_tx_queue_setup(id_, 0, to_send, socket, nullptr), name_, "set up its send queue");
  start(id_, name_);
  // Hosts have addresses of their own, not those of the NICs; where there is no filter there is
  // nothing to switch off.
  rte_eth_promiscuous_enable(id_);
}

Port::~Port() {
  rte_pktmbuf_free_bulk(waiting_.data() + first_waiting_, end_waiting_ - first_waiting_);
  rte_eth_dev_stop(id_);
  rte_eth_dev_close(id_);
}

bool Port::link_is_up() const {
  rte_eth_link link{};
  return rte_eth_link_get_nowait(id_, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

std::optional<Frame> Port::decode(const rte_mbuf& buffer) {
  ++counters_.frames_received;
  counters_.bytes_received += buffer.pkt_len;
  const auto* const bytes = rte_pktmbuf_mtod(&buffer, const std::byte*);
  auto frame = buffer.nb_segs == 1
                   ? wire::decode(protocol_, without_padding({bytes, buffer.data_len}), values_)
                   : std::nullopt;
  if (!frame) ++counters_.malformed;
  return frame;
}

void Port::encode(const Frame& frame, rte_mbuf& buffer) {
  auto* const bytes = rte_pktmbuf_mtod(&buffer, std::byte*);
  const std::size_t length = wire::encode(protocol_, frame, {bytes, rte_pktmbuf_tailroom(&buffer)});
  buffer.data_len = static_cast<std::uint16_t>(length);
  buffer.pkt_len = static_cast<std::uint32_t>(length);
  waiting_[end_waiting_++] = &buffer;
}

bool Port::flush() {
  if (first_waiting_ == end_waiting_) return true;
  const std::uint16_t first = first_waiting_;
  std::uint64_t bytes = 0;
  std::array<std::uint16_t, kBurst> lengths{};
  for (std::uint16_t i = first; i < end_waiting_; ++i) lengths[i] = waiting_[i]->data_len;
  const auto count = static_cast<std::uint16_t>(end_waiting_ - first);
  const std::uint16_t sent = rte_eth_tx_burst(id_, 0, waiting_.data() + first, count);
  for (std::uint16_t i = first; i < first + sent; ++i) bytes += lengths[i];
  counters_.frames_sent += sent;
  counters_.bytes_sent += bytes;
  first_waiting_ = static_cast<std::uint16_t>(first + sent);
  if (first_waiting_ < end_waiting_) return false;
  first_waiting_ = end_waiting_ = 0;
  return true;
}

}  // namespace ina::ports
