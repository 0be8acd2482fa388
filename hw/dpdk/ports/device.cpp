// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/device.hpp"

#include <fmt/format.h>
#include <rte_errno.h>

#include <string_view>

#include "hw/dpdk/ports/captured_errors.hpp"
#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/event_thread.hpp"
#include "hw/dpdk/ports/flow_rules.hpp"
#include "hw/dpdk/ports/memif_clients.hpp"
#include "hw/dpdk/ports/memif_servers.hpp"

namespace ina::ports {

namespace {

constexpr std::string_view kMemif = "net_memif";
constexpr std::string_view kTap = "net_tap";
constexpr std::string_view kAfPacket = "net_af_packet";

void require(int status, const std::string& name, const char* what) {
  if (status == 0) return;
  throw PortError(name + ": DPDK cannot " + what + ": " + rte_strerror(-status));
}

/// Captures standard error because the driver may report more there than in its status.
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

/// NUMA node whose memory the port is attached to, or node 0 if unknown.
unsigned socket_of(std::uint16_t id) {
  const int socket = rte_eth_dev_socket_id(id);
  return socket < 0 ? 0 : static_cast<unsigned>(socket);
}

/// Number of queues per direction: one per core, or one in all.
std::uint16_t queues_for(std::uint16_t id, const std::string& name, unsigned cores) {
  rte_eth_dev_info info{};
  require(rte_eth_dev_info_get(id, &info), name, "describe this port");
  const unsigned most = std::min(info.max_rx_queues, info.max_tx_queues);
  // The af_packet driver distributes frames over all of its sockets, including those without a
  // reader.
  if (name.starts_with(kAfPacket) && most != 1 && most != cores) {
    throw PortError(fmt::format("{}: qpairs={} for {} cores; allowed: {}", name, most, cores,
                                cores == 1 ? "1" : fmt::format("1 or {}", cores)));
  }
  // With memif, the client decides on the number of queues, long after this call. With tap, the
  // kernel moves a flow to the queue that last sent a frame of this flow, so received frames would
  // not stay in order.
  const bool one = name.starts_with(kMemif) || name.starts_with(kTap) || most < cores;
  return static_cast<std::uint16_t>(one ? 1 : cores);
}

/// The use of a memif link, at either end; null for other devices.
LinkUse* use_of(const std::string& name) {
  LinkUse* const of_server = MemifServers::of_process().use_of(name);
  return of_server != nullptr ? of_server : MemifClients::of_process().use_of(name);
}

void close(std::uint16_t id) {
  rte_eth_dev_stop(id);
  rte_eth_dev_close(id);
}

}  // namespace

Device::Device(const std::string& device, wire::Format format, rte_mempool& buffers,
               const Sharing& sharing)
    : name_(name_of_device(device)),
      buffers_(buffers),
      sharing_(sharing),
      id_(id_of(name_)),
      use_(use_of(name_)),
      queues_(queues_for(id_, name_, sharing.cores)) {
  set_up_queues();
  MemifClients::of_process().begin(name_);
  start(id_, name_);
  // Promiscuous mode is required because the addresses of hosts are not those of the NICs. Errors
  // are ignored, because a device without an address filter needs no such mode.
  rte_eth_promiscuous_enable(id_);
  if (queues_ > 1) {
    const auto why_not = steer_by_rules(
        id_, format, [this](unsigned core) { return *queue_of(core); }, queues_);
    queue_layout_ = fmt::format(
        "{} queues each way, {}", queues_,
        why_not ? "steered in software (flow rules: " + *why_not + ")" : "steered by flow rules");
    return;
  }
  queue_layout_ = "1 queue each way, steered in software";
  for (unsigned core = 0; core < sharing_.cores && sharing_.cores > 1; ++core) {
    rings_.push_back(std::make_unique<Ring>(ring_buffers(sharing_.cores)));
  }
}

void Device::set_up_queues() {
  const rte_eth_conf config{};
  require(rte_eth_dev_configure(id_, queues_, queues_, &config), name_, "configure this port");
  std::uint16_t to_receive = kDescriptors;
  std::uint16_t to_send = kDescriptors;
  require(rte_eth_dev_adjust_nb_rx_tx_desc(id_, &to_receive, &to_send), name_, "size its queues");
  const unsigned socket = socket_of(id_);
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    require(rte_eth_rx_queue_setup(id_, queue, to_receive, socket, nullptr, &buffers_), name_,
            "set up its receive queue");
    require(rte_eth_tx_queue_setup(id_, queue, to_send, socket, nullptr), name_,
            "set up its send queue");
  }
}

Device::~Device() {
  if (!name_.starts_with(kMemif)) {
    close(id_);
    return;
  }
  MemifServers::of_process().close(name_);
  // The driver frees a link's resources without a lock, both in the event thread (when the other
  // end goes away) and in the thread that closes the port. Closing in the event thread serialises
  // the two.
  run_in_event_thread([this] { close(id_); });
  MemifClients::of_process().close(name_);
}

void Device::connect_again() {
  MemifClients::of_process().begin(name_);
  run_in_event_thread([this] {
    rte_eth_dev_stop(id_);
    rte_eth_dev_start(id_);
  });
}

bool Device::link_is_up() {
  if (MemifClients::of_process().has_ended(name_)) connect_again();
  rte_eth_link link{};
  return rte_eth_link_get_nowait(id_, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

std::optional<std::uint16_t> Device::queue_of(unsigned core) const {
  if (queues_ == 1 && core != sharing_.home) return std::nullopt;
  // Queue 0 receives all unsteered traffic and belongs to the home core.
  return static_cast<std::uint16_t>((core + queues_ - sharing_.home % queues_) % queues_);
}

std::vector<Device::Ring*> Device::rings_to(unsigned core) const {
  std::vector<Ring*> rings;
  for (unsigned from = 0; from < rings_.size() && core == sharing_.home; ++from) {
    if (from != core) rings.push_back(rings_[from].get());
  }
  return rings;
}

}  // namespace ina::ports
