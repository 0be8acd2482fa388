// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/memif_servers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <boost/algorithm/string.hpp>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <deque>
#include <list>
#include <thread>

#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/memif_connection.hpp"

namespace ina::ports {

namespace {

/// Of DPDK's.
constexpr const char* kDefaultSocket = "/run/memif.sock";
constexpr const char* kOfDriver = ".dpdk";

/// What a socket is known by.
struct Address {
  std::string path;
  bool abstract = true;

  bool operator==(const Address&) const = default;

  sockaddr_un name() const {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::size_t at = abstract ? 1 : 0;
    path.copy(name.sun_path + at, sizeof name.sun_path - 1 - at);
    return name;
  }
  /// As DPDK counts it.
  socklen_t length() const {
    const std::size_t path_bytes = abstract ? 1 + path.size() : sizeof(sockaddr_un::sun_path);
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_bytes);
  }
};

Descriptor new_socket() { return Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

/// A memif device as DPDK writes it.
struct Wanted {
  std::string device;
  bool server = false;
  std::uint32_t id = 0;
  Address address{kDefaultSocket};
  std::string rest{};  // what else it says
};

Wanted parse(const std::string& device) {
  std::vector<std::string> parts;
  boost::split(parts, device, boost::is_any_of(","));
  Wanted wanted{parts.front()};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (key == "socket") {
      wanted.address.path = value;
      continue;
    }
    if (key == "role") wanted.server = value.find("server") != std::string::npos;
    if (key == "id")
      wanted.id = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 0));
    if (key == "socket-abstract") wanted.address.abstract = value.find("no") == std::string::npos;
    wanted.rest += "," + part;
  }
  return wanted;
}

}  // namespace

struct MemifServers::Link {
  Link(std::string name, std::uint32_t number) : device(std::move(name)), id(number) {}

  std::string device;
  std::uint32_t id;
  bool open = true;
  LinkUse use{};
};

/// A socket with the links that clients may have there.
class MemifServers::Socket {
 public:
  explicit Socket(Address address) : address_(std::move(address)) {}

  const Address& address() const { return address_; }
  bool listens() const { return bool(listener_); }
  bool is_closed() const { return std::ranges::none_of(links_, &Link::open); }
  /// Before it listens.
  void add(const std::string& device, std::uint32_t id) { links_.emplace_back(device, id); }
  Link* link(const std::string& device) {
    const auto found = std::ranges::find(links_, device, &Link::device);
    return found == links_.end() ? nullptr : &*found;
  }

  /// Throws PortError.
  void listen() {
    Descriptor listener = new_socket();
    const sockaddr_un name = address_.name();
    if (bind(listener.number(), reinterpret_cast<const sockaddr*>(&name), address_.length()) != 0 ||
        ::listen(listener.number(), SOMAXCONN) != 0) {
      throw PortError(
          fmt::format("{}: cannot listen there: {}", address_.path, std::strerror(errno)));
    }
    listener_ = std::move(listener);
  }
  /// Until it listens no more and the last connection has ended.
  void serve() {
    block_signals();
    while (accepts_ || !connections_.empty()) step();
  }
  void stop_listening() {
    shutdown(listener_.number(), SHUT_RDWR);
    if (!address_.abstract) unlink(address_.path.c_str());
  }

 private:
  void step();
  void connect_to_driver(Descriptor client);
  LinkUse* use_of(std::uint32_t id) {
    const auto found = std::ranges::find(links_, id, &Link::id);
    return found == links_.end() ? nullptr : &found->use;
  }

  Address address_;
  std::deque<Link> links_;
  Descriptor listener_;
  bool accepts_ = true;
  std::list<MemifConnection> connections_;
};

/// Who ended before who comes: the driver has a place for one.
void MemifServers::Socket::step() {
  std::vector<pollfd> sources;
  for (const MemifConnection& connection : connections_) {
    sources.push_back({connection.driver(), POLLIN, 0});
    sources.push_back({connection.client(), POLLIN, 0});
  }
  sources.push_back({accepts_ ? listener_.number() : -1, POLLIN, 0});
  poll(sources.data(), sources.size(), -1);
  auto source = sources.begin();
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    const bool from_driver = (source++)->revents != 0;
    const bool from_client = (source++)->revents != 0;
    const bool goes_on = (!from_driver || connection->pass_on_from_driver()) &&
                         (!from_client || connection->pass_on_from_client());
    connection = goes_on ? std::next(connection) : connections_.erase(connection);
  }
  if (source->revents == 0) return;
  Descriptor client(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  accepts_ = bool(client);
  if (client) connect_to_driver(std::move(client));
}

void MemifServers::Socket::connect_to_driver(Descriptor client) {
  const Address of_driver{address_.path + kOfDriver, address_.abstract};
  const sockaddr_un name = of_driver.name();
  Descriptor driver = new_socket();
  if (connect(driver.number(), reinterpret_cast<const sockaddr*>(&name), of_driver.length()) != 0) {
    return;
  }
  connections_.emplace_back(std::move(client), std::move(driver),
                            [this](std::uint32_t id) { return use_of(id); });
}

MemifServers& MemifServers::of_process() {
  static auto* const all = new MemifServers;  // which threads use until the process ends
  return *all;
}

std::string MemifServers::add(const std::string& device) {
  if (!device.starts_with("net_memif")) return device;
  const Wanted wanted = parse(device);
  if (!wanted.server) return device;
  const std::lock_guard lock(mutex_);
  auto socket = std::ranges::find_if(sockets_, [&](const auto& one) {
    return one->address() == wanted.address && !one->listens();
  });
  if (socket == sockets_.end()) {
    socket = sockets_.insert(sockets_.end(), std::make_shared<Socket>(wanted.address));
  }
  (*socket)->add(wanted.device, wanted.id);
  return fmt::format("{},socket={}{}{}", wanted.device, wanted.address.path, kOfDriver,
                     wanted.rest);
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
  sockets_.erase(found);  // its thread has it
}

}  // namespace ina::ports
