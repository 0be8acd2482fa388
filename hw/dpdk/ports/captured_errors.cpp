// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/captured_errors.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <boost/algorithm/string.hpp>

namespace ina::ports {

CapturedErrors::CapturedErrors()
    : file_(memfd_create("errors", MFD_CLOEXEC)), standard_error_(dup(STDERR_FILENO)) {
  dup2(file_, STDERR_FILENO);
}

CapturedErrors::~CapturedErrors() {
  restore();
  close(file_);
}

std::string CapturedErrors::text() {
  restore();
  std::string text;
  std::array<char, 4096> buffer{};
  lseek(file_, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(file_, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  boost::trim(text);
  boost::replace_all(text, "\n", "; ");
  return text;
}

void CapturedErrors::restore() {
  if (standard_error_ < 0) return;
  dup2(standard_error_, STDERR_FILENO);
  close(standard_error_);
  standard_error_ = -1;
}

}  // namespace ina::ports
