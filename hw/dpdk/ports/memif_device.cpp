// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/memif_device.hpp"

#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "hw/dpdk/ports/port_error.hpp"
#include "hw/dpdk/ports/private_folder.hpp"
#include "hw/fields/read_number.hpp"

namespace ina::ports {

namespace {

constexpr std::array<std::string_view, 9> kKeys = {
    "role", "id", "socket", "socket-abstract", "bsize", "rsize", "mac", "zero-copy", "secret"};
constexpr const char* kAllowedSocket =
    "socket=/FOLDER/NAME,socket-abstract=no, in a folder that only this user can enter";

void check_keys(const DeviceSpec& spec) {
  for (const auto& argument : spec.arguments) {
    if (std::ranges::find(kKeys, argument.key) != kKeys.end()) continue;
    throw PortError(
        fmt::format("{}: {}=; allowed: {}", spec.name, argument.key, fmt::join(kKeys, ", ")));
  }
}

bool serves(const DeviceSpec& spec) {
  const std::string* const role = spec.find("role");
  if (role == nullptr || *role == "client") return false;
  if (*role == "server") return true;
  throw PortError(fmt::format("{}: role={}; allowed: server, client", spec.name, *role));
}

std::uint32_t id_of(const DeviceSpec& spec) {
  std::uint32_t id = 0;
  const std::string* const text = spec.find("id");
  if (text == nullptr || fields::read_number(*text, id)) return id;
  throw PortError(fmt::format("{}: id={}; allowed: 0 to {}", spec.name, *text, UINT32_MAX));
}

std::filesystem::path socket_of(const DeviceSpec& spec, bool server) {
  const std::string* const abstract = spec.find("socket-abstract");
  if (abstract == nullptr || *abstract != "no") {
    throw PortError(fmt::format(
        "{}: found {}, that is, an abstract socket, which every local user can reach; allowed: {}",
        spec.name, abstract == nullptr ? "no socket-abstract=no" : "socket-abstract=" + *abstract,
        kAllowedSocket));
  }
  const std::string* const text = spec.find("socket");
  const std::filesystem::path path = text == nullptr ? "" : *text;
  if (!path.is_absolute() || path.filename().empty()) {
    throw PortError(fmt::format("{}: {}; allowed: {}", spec.name,
                                text == nullptr ? "no socket=" : "socket=" + *text,
                                kAllowedSocket));
  }
  const std::string where = spec.name + ": socket=" + *text;
  std::filesystem::path real = private_folder(path.parent_path(), where) / path.filename();
  const std::size_t most = sizeof(sockaddr_un::sun_path) - 1 - (server ? kOfDriver.size() : 0);
  if (real.native().size() > most) {
    throw PortError(fmt::format("{}: path of {} bytes; allowed: at most {}", where,
                                real.native().size(), most));
  }
  return real;
}

}  // namespace

MemifDevice MemifDevice::check(const DeviceSpec& spec) {
  check_keys(spec);
  MemifDevice device{spec.name, serves(spec), id_of(spec), {}};
  device.socket = socket_of(spec, device.is_server);
  return device;
}

}  // namespace ina::ports
