// SPDX-License-Identifier: BSD-3-Clause
// Sockets that connect the ends of memif links, and helpers for the threads that serve them.
#pragma once

#include <sys/un.h>

#include <filesystem>

#include "hw/dpdk/ports/descriptor.hpp"

namespace ina::ports {

Descriptor new_memif_socket();
sockaddr_un memif_address(const std::filesystem::path& socket);

/// Blocks all signals in the calling thread.
void block_all_signals();

}  // namespace ina::ports
