// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/memif_socket.hpp"

#include <pthread.h>
#include <sys/socket.h>

#include <csignal>

namespace ina::ports {

Descriptor new_memif_socket() {
  return Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

sockaddr_un memif_address(const std::filesystem::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.native().copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

void block_all_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace ina::ports
