// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/presence.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "hw/libina/failure.hpp"

namespace ina::library {

void note_presence(const char* word) {
  const char* const path = std::getenv("INA_PRESENCE");
  if (path == nullptr || *path == '\0') return;
  const std::string line = std::string(word) + "\n";
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (!written) {
    throw Failure(INA_TROUBLE, fmt::format("INA_PRESENCE: {}: {}", path, std::strerror(error)));
  }
}

}  // namespace ina::library
