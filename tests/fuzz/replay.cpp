// SPDX-License-Identifier: BSD-3-Clause
// A file for ina explore --replay. It is rejected with a one-line message, or it survives writing
// and reading, and no worker gets a wrong sum in its schedule.
#include "tests/exploration/replay.hpp"

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/fuzz/require.hpp"

namespace ina::fuzz {
namespace {

namespace ex = exploration;

std::string text_of(const ex::Replay& replay) {
  std::ostringstream text;
  ex::write_replay(text, replay);
  return text.str();
}

void check(const std::string& text) {
  std::istringstream in(text);
  const ex::Replay replay = ex::read_replay(in);
  const std::string written = text_of(replay);
  std::istringstream again(written);
  require(text_of(ex::read_replay(again)) == written, "it says the same");
  std::ostringstream words;
  const std::string failure = ex::step_through(replay, ex::make_system, words);
  // Timers in the file may fire too rarely, so a schedule with a cycle is not an error.
  require(failure.empty() || failure == ex::kCircles, failure.c_str());
}

void check_one_clear_line(std::string_view message) {
  require(message.find('\n') == std::string_view::npos, "the message is one line");
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    ina::fuzz::check(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const std::invalid_argument& error) {
    ina::fuzz::check_one_clear_line(error.what());
  }
  return 0;
}
