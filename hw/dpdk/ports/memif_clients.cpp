// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/memif_clients.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <thread>

#include "hw/dpdk/ports/memif_connection.hpp"
#include "hw/dpdk/ports/memif_socket.hpp"
#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

namespace {

/// Interval between attempts to connect to an absent server.
constexpr int kRetryMs = 5;
/// Pause before a client connects again, for example to a server that refused it.
constexpr std::chrono::milliseconds kPauseAfterConnection(50);

/// Name of an abstract socket, of which no file can outlive the process. The socket refuses
/// connections from other processes.
std::string new_name() {
  static std::atomic<unsigned> number = 0;
  return fmt::format("ina-memif-{}-{}", getpid(), number++);
}

Descriptor listener_at(const std::string& name) {
  Descriptor listener = new_memif_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      listen(listener.number(), 1) != 0) {
    throw PortError(fmt::format("@{}: cannot listen: {}", name, std::strerror(errno)));
  }
  return listener;
}

bool is_own_process(const Descriptor& socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         peer.pid == getpid();
}

}  // namespace

/// A client's link to its server.
class MemifClients::Relay {
 public:
  Relay(const MemifDevice& client, const std::string& name)
      : device_(client.name), server_(client.socket), listener_(listener_at(name)) {}

  const std::string& device() const { return device_; }
  LinkUse& use() { return use_; }
  void begin() { ended_ = false; }
  bool has_ended() const { return ended_; }
  /// Serves the link until stop().
  void serve() {
    block_all_signals();
    while (!stopped_) {
      Descriptor driver(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!driver || !is_own_process(driver)) continue;
      relay(std::move(driver));
      std::this_thread::sleep_for(kPauseAfterConnection);
      ended_ = true;
    }
  }
  void stop() {
    stopped_ = true;
    shutdown(listener_.number(), SHUT_RDWR);
  }

 private:
  void relay(Descriptor driver);
  Descriptor connect_to_server(const Descriptor& driver) const;

  std::string device_;
  std::filesystem::path server_;  // path of its socket
  Descriptor listener_;
  LinkUse use_;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> stopped_ = false;
};

void MemifClients::Relay::relay(Descriptor driver) {
  Descriptor server = connect_to_server(driver);
  if (!server) return;
  MemifConnection connection(std::move(server), std::move(driver), use_);
  bool goes_on = true;
  while (goes_on) {
    std::array<pollfd, 2> sources = {
        {{connection.driver(), POLLIN, 0}, {connection.remote(), POLLIN, 0}}};
    poll(sources.data(), sources.size(), -1);
    goes_on = (sources[0].revents == 0 || connection.pass_on_from_driver()) &&
              (sources[1].revents == 0 || connection.pass_on_from_remote());
  }
}

/// Returns nothing if the driver has gone away. The driver sends nothing before the server does.
Descriptor MemifClients::Relay::connect_to_server(const Descriptor& driver) const {
  const sockaddr_un address = memif_address(server_);
  pollfd gone{driver.number(), POLLIN, 0};
  do {
    Descriptor server = new_memif_socket();
    if (connect(server.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
        0) {
      return server;
    }
  } while (poll(&gone, 1, kRetryMs) == 0);
  return {};
}

MemifClients& MemifClients::of_process() {
  static auto* const all = new MemifClients;  // never destroyed: threads use it until the process
                                              // ends
  return *all;
}

std::string MemifClients::add(const MemifDevice& client) {
  std::string name = new_name();
  const auto relay = std::make_shared<Relay>(client, name);
  const std::lock_guard lock(mutex_);
  relays_.push_back(relay);
  std::thread([relay] { relay->serve(); }).detach();
  return name;
}

std::shared_ptr<MemifClients::Relay> MemifClients::relay_of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(relays_, name, &Relay::device);
  return found == relays_.end() ? nullptr : *found;
}

LinkUse* MemifClients::use_of(const std::string& name) {
  const auto relay = relay_of(name);
  return relay ? &relay->use() : nullptr;
}

void MemifClients::begin(const std::string& name) {
  if (const auto relay = relay_of(name)) relay->begin();
}

bool MemifClients::has_ended(const std::string& name) {
  const auto relay = relay_of(name);
  return relay && relay->has_ended();
}

void MemifClients::close(const std::string& name) {
  const auto relay = relay_of(name);
  if (!relay) return;
  relay->stop();
  const std::lock_guard lock(mutex_);
  std::erase(relays_, relay);
}

}  // namespace ina::ports
