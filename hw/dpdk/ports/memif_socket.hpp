// SPDX-License-Identifier: BSD-3-Clause
// Sockets over which the ends of memif links talk, and the threads that pass on what they say.
#pragma once

#include <sys/un.h>

#include <filesystem>

#include "hw/dpdk/ports/descriptor.hpp"

namespace ina::ports {

Descriptor new_memif_socket();
sockaddr_un memif_address(const std::filesystem::path& socket);

/// Signals are not for the calling thread.
void block_all_signals();

}  // namespace ina::ports
