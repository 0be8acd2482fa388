// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "hw/dpdk/ports/descriptor.hpp"

namespace ina::ports {

/// While it exists, no other process can start a memif server at the same socket.
class StartLock {
 public:
  /// Throws PortError if another server is starting at the socket.
  explicit StartLock(const std::filesystem::path& socket);
  ~StartLock();
  StartLock(const StartLock&) = delete;
  StartLock& operator=(const StartLock&) = delete;

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

/// Removes the sockets that a killed server and its driver left. Throws PortError if a process
/// listens at one of them, or if a file of their name is not a socket. The caller must hold a
/// StartLock. Otherwise, if two callers found the same stale socket, the second could remove the
/// new socket of the first.
void remove_stale_sockets(const std::filesystem::path& socket);

}  // namespace ina::ports
