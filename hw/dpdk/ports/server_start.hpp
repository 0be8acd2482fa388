// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "hw/dpdk/ports/descriptor.hpp"

namespace ina::ports {

/// Keeps other processes from starting a memif server at a socket for as long as this lives.
class StartLock {
 public:
  /// Throws PortError if another server is starting there.
  explicit StartLock(const std::filesystem::path& socket);
  ~StartLock();
  StartLock(const StartLock&) = delete;
  StartLock& operator=(const StartLock&) = delete;

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

/// Removes the files of a server that was killed: its socket, and the driver's. Throws PortError if
/// a process has one of these sockets, or a file that is not a socket has such a name. The caller
/// needs the lock: of two that find the same stale socket, one would remove the other's new one.
void remove_stale_sockets(const std::filesystem::path& socket);

}  // namespace ina::ports
