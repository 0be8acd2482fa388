// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/memif_servers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <list>
#include <thread>

#include "hw/dpdk/ports/memif_connection.hpp"
#include "hw/dpdk/ports/memif_socket.hpp"
#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

struct MemifServers::Link {
  Link(std::string name, std::uint32_t number) : device(std::move(name)), id(number) {}

  std::string device;
  std::uint32_t id;
  bool open = true;
  LinkUse use{};
};

/// A listening socket and the links that clients can ask for there.
class MemifServers::Socket {
 public:
  explicit Socket(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  bool listens() const { return bool(listener_); }
  bool is_closed() const { return std::ranges::none_of(links_, &Link::open); }
  /// Adds a link; call this before listen().
  void add(const std::string& device, std::uint32_t id) { links_.emplace_back(device, id); }
  Link* link(const std::string& device) {
    const auto found = std::ranges::find(links_, device, &Link::device);
    return found == links_.end() ? nullptr : &*found;
  }

  /// Throws PortError.
  void listen() {
    Descriptor listener = new_memif_socket();
    const sockaddr_un address = memif_address(path_);
    if (bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener.number(), SOMAXCONN) != 0) {
      throw PortError(fmt::format("{}: cannot listen: {}", path_.string(), std::strerror(errno)));
    }
    listener_ = std::move(listener);
  }
  /// Serves until the socket no longer listens and the last connection has ended.
  void serve() {
    block_all_signals();
    while (accepts_ || !connections_.empty()) step();
  }
  void stop_listening() {
    shutdown(listener_.number(), SHUT_RDWR);
    unlink(path_.c_str());
  }

 private:
  void step();
  void connect_to_driver(Descriptor client);
  LinkUse* use_of(std::uint32_t id) {
    const auto found = std::ranges::find(links_, id, &Link::id);
    return found == links_.end() ? nullptr : &found->use;
  }

  std::filesystem::path path_;
  std::deque<Link> links_;
  Descriptor listener_;
  bool accepts_ = true;
  std::list<MemifConnection> connections_;
};

/// Handles ended connections before new ones, because the driver accepts one connection per link.
void MemifServers::Socket::step() {
  std::vector<pollfd> sources;
  for (const MemifConnection& connection : connections_) {
    sources.push_back({connection.driver(), POLLIN, 0});
    sources.push_back({connection.remote(), POLLIN, 0});
  }
  sources.push_back({accepts_ ? listener_.number() : -1, POLLIN, 0});
  poll(sources.data(), sources.size(), -1);
  auto source = sources.begin();
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    const bool from_driver = (source++)->revents != 0;
    const bool from_remote = (source++)->revents != 0;
    const bool goes_on = (!from_driver || connection->pass_on_from_driver()) &&
                         (!from_remote || connection->pass_on_from_remote());
    connection = goes_on ? std::next(connection) : connections_.erase(connection);
  }
  if (source->revents == 0) return;
  Descriptor client(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  accepts_ = bool(client);
  if (client) connect_to_driver(std::move(client));
}

void MemifServers::Socket::connect_to_driver(Descriptor client) {
  const sockaddr_un address = memif_address(of_driver(path_));
  Descriptor driver = new_memif_socket();
  if (connect(driver.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return;
  }
  connections_.emplace_back(std::move(client), std::move(driver),
                            [this](std::uint32_t id) { return use_of(id); });
}

MemifServers& MemifServers::of_process() {
  static auto* const all = new MemifServers;  // never destroyed: threads use it until the process
                                              // ends
  return *all;
}

void MemifServers::add(const MemifDevice& server) {
  const std::lock_guard lock(mutex_);
  auto socket = std::ranges::find_if(
      sockets_, [&](const auto& one) { return one->path() == server.socket && !one->listens(); });
  if (socket == sockets_.end()) {
    socket = sockets_.insert(sockets_.end(), std::make_shared<Socket>(server.socket));
  }
  (*socket)->add(server.name, server.id);
}

void MemifServers::open() {
  const std::lock_guard lock(mutex_);
  for (const auto& socket : sockets_) {
    if (socket->listens()) continue;
    socket->listen();
    std::thread([socket] { socket->serve(); }).detach();
  }
}

LinkUse* MemifServers::use_of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (const auto& socket : sockets_) {
    Link* const link = socket->link(name);
    if (link != nullptr && link->open) return &link->use;
  }
  return nullptr;
}

void MemifServers::close(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(sockets_, [&](const auto& socket) {
    const Link* const link = socket->link(name);
    return link != nullptr && link->open;
  });
  if (found == sockets_.end()) return;
  (*found)->link(name)->open = false;
  if (!(*found)->is_closed()) return;
  (*found)->stop_listening();
  sockets_.erase(found);  // its thread owns the socket from now on
}

}  // namespace ina::ports
