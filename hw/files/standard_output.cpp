// SPDX-License-Identifier: BSD-3-Clause
#include "hw/files/standard_output.hpp"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace ina::files {

void survive_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void report(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void flush_standard_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace ina::files
