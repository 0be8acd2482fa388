// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ina::exploration {

namespace {

using Kind = Action::Kind;

constexpr std::array<std::string_view, 14> kKinds = {
    "submit",  "deliver", "lose",   "copy",  "delay",       "deliver_late", "fire",
    "restart", "expiry",  "reboot", "crash", "switch_fire", "pass",         "lose_pass"};

bool on_link(Kind kind) { return kind >= Kind::deliver && kind <= Kind::deliver_late; }
bool indexed(Kind kind) {
  return kind == Kind::deliver_late || kind == Kind::fire ||
         (kind >= Kind::reboot && kind != Kind::crash);
}
bool at_switch(Kind kind) { return kind >= Kind::expiry && kind != Kind::crash; }

[[noreturn]] void reject(const std::string& line) {
  throw std::invalid_argument(
      "'" + line +
      "' is no step: allowed are submit HOST, fire HOST INDEX, restart HOST, crash HOST, expiry, "
      "reboot INDEX, switch_fire INDEX, pass INDEX, lose_pass INDEX, and deliver, lose, copy, "
      "delay or deliver_late with up or "
      "down, HOST, and for "
      "deliver_late INDEX; then "
      "possibly heads");
}

}  // namespace

std::string to_text(const Action& action) {
  std::string text(kKinds[static_cast<std::size_t>(action.kind)]);
  if (on_link(action.kind)) text += action.way == Action::Way::up ? " up" : " down";
  if (!at_switch(action.kind)) text += fmt::format(" {}", action.host);
  if (indexed(action.kind)) text += fmt::format(" {}", action.index);
  if (action.heads) text += " heads";
  return text;
}

Action action_of_text(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  const auto kind = std::find(kKinds.begin(), kKinds.end(), word);
  if (kind == kKinds.end()) reject(line);
  Action action;
  action.kind = static_cast<Kind>(kind - kKinds.begin());
  if (on_link(action.kind)) {
    words >> word;
    if (word != "up" && word != "down") reject(line);
    action.way = word == "up" ? Action::Way::up : Action::Way::down;
  }
  const auto number = [&] {
    unsigned value = 0;
    if (!(words >> value) || value > 255) reject(line);
    return static_cast<std::uint8_t>(value);
  };
  if (!at_switch(action.kind)) action.host = number();
  if (indexed(action.kind)) action.index = number();
  if (words >> word) {
    if (word != "heads" || words >> word) reject(line);
    action.heads = true;
  }
  return action;
}

}  // namespace ina::exploration
