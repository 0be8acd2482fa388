// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/server_start.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "hw/dpdk/ports/memif_device.hpp"
#include "hw/dpdk/ports/memif_socket.hpp"
#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw PortError(path.string() + ": " + why);
}

/// Whether the file is still at this path. A process removes the file once it has started.
bool is_at(int file, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat there {};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

Descriptor lock(const std::filesystem::path& path) {
  for (;;) {
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) refuse(path, std::strerror(errno));
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
      refuse(path, "another server is starting at this socket; allowed: one server per socket");
    }
    if (is_at(file.number(), path)) return file;
  }
}

/// Whether no process listens at the socket. The check connects with a datagram socket, whose type
/// is wrong for a live server, so the server notices nothing.
bool is_stale(const std::filesystem::path& path) {
  const sockaddr_un address = memif_address(path);
  const Descriptor client(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return connect(client.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
             0 &&
         errno == ECONNREFUSED;
}

void remove_if_stale(const std::filesystem::path& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode)) {
    refuse(path, "found a file that is not a socket; allowed: a free name");
  }
  if (!is_stale(path)) {
    refuse(path, "another server listens at this socket; allowed: one server per socket");
  }
  if (unlink(path.c_str()) != 0) refuse(path, std::strerror(errno));
}

}  // namespace

StartLock::StartLock(const std::filesystem::path& socket)
    : path_(socket.native() + ".lock"), file_(lock(path_)) {}

StartLock::~StartLock() { unlink(path_.c_str()); }

void remove_stale_sockets(const std::filesystem::path& socket) {
  remove_if_stale(socket);
  remove_if_stale(of_driver(socket));
}

}  // namespace ina::ports
