// SPDX-License-Identifier: BSD-3-Clause
#include "hw/files/standard_output.hpp"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <streambuf>

namespace ina::files {

namespace {

bool is_muted = false;

class Nowhere : public std::streambuf {
  int overflow(int c) override { return traits_type::not_eof(c); }
};

}  // namespace

void survive_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void print(std::string_view text) {
  if (!is_muted) std::fwrite(text.data(), 1, text.size(), stdout);
}

void mute_standard_output() {
  static Nowhere nowhere;
  std::cout.rdbuf(&nowhere);
  is_muted = true;
}

void report(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void flush_standard_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace ina::files
