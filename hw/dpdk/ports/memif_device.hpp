// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "hw/dpdk/ports/device_spec.hpp"

namespace ina::ports {

/// A memif device whose socket no other user can reach.
///
/// A server maps the memory that its client passes. The client can therefore read and forge the
/// frames of its link, and can kill the server (SIGBUS) by truncating that memory. A client in turn
/// trusts the server with its gradients. DPDK's default is an abstract socket, which has no owner:
/// every local user can connect to it, or listen there first.
struct MemifDevice {
  std::string name;
  bool is_server = false;
  std::uint32_t id = 0;
  std::filesystem::path socket;  ///< absolute, without symbolic links in its folder

  static bool is_memif(const DeviceSpec& spec) { return spec.name.starts_with("net_memif"); }
  /// Throws PortError unless the socket is a file in a folder that only this user can enter. Also
  /// throws if DPDK does not understand an argument: DPDK would silently ignore all arguments then.
  static MemifDevice check(const DeviceSpec& spec);
};

/// Suffix of a server's second socket. DPDK's driver listens at this socket, and only this process
/// connects to it.
inline constexpr std::string_view kOfDriver = ".dpdk";
inline std::filesystem::path of_driver(std::filesystem::path socket) { return socket += kOfDriver; }

}  // namespace ina::ports
