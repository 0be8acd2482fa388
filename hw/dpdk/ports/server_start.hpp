// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "hw/dpdk/ports/descriptor.hpp"

namespace ina::ports {

/// Keeps other processes from starting a memif server at a socket during its lifetime.
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

/// Removes the sockets of a killed server and of its driver. Throws PortError if a process listens
/// at one of them or a file that is not a socket has the name. The caller must hold the lock:
/// otherwise, of two callers that find the same stale socket, one could remove the other's new one.
void remove_stale_sockets(const std::filesystem::path& socket);

}  // namespace ina::ports
