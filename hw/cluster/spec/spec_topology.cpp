// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/spec/spec_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "hw/cluster/network/paths.hpp"
#include "hw/fields/strict_json.hpp"

namespace ina::cluster {

namespace {

using fields::PlainDocument;
using fields::pointer_to;

/// Whether a name differs from host numbers and is usable in the names of files and interfaces.
bool is_name(const std::string& name) {
  constexpr std::size_t kMostBytes = 15;
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  return !name.empty() && name.size() <= kMostBytes && !is_digit(name.front()) &&
         std::ranges::all_of(name, [&](char c) {
           return is_digit(c) || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_';
         });
}

void check_names(const Topology& topology, const PlainDocument& file) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < topology.switches.size(); ++i) {
    const std::string& name = topology.switches[i].name;
    if (is_name(name) && names.insert(name).second) continue;
    file.fail(pointer_to("/topology/switches", i) + "/name",
              fmt::format("found {}; allowed: a unique name of up to 15 letters, digits and _, not "
                          "beginning with a digit",
                          fields::describe(name)));
  }
}

void check_racks(const Topology& topology, const PlainDocument& file) {
  const std::size_t racks = topology.racks();
  for (std::size_t i = 0; i < topology.switches.size(); ++i) {
    const int height = topology.switches[i].height;
    if (racks != 0 && (height == 0) == (i < racks)) continue;
    file.fail(
        pointer_to("/topology/switches", i) + "/height",
        fmt::format(
            "found {}; allowed: 0 for the first switches, at least one, and above 0 for all others",
            height));
  }
  for (std::size_t i = 0; i < topology.switch_of.size(); ++i) {
    if (topology.switch_of[i] < racks) continue;
    file.fail(pointer_to("/topology/hosts", i),
              fmt::format("found {}; allowed: the switch of a rack, 0 to {}", topology.switch_of[i],
                          racks - 1));
  }
}

void check_trunks(const Topology& topology, const PlainDocument& file) {
  std::set<std::pair<SwitchIndex, SwitchIndex>> joined;
  for (std::size_t i = 0; i < topology.trunks.size(); ++i) {
    const auto [lower, upper] = std::pair(topology.trunks[i].lower, topology.trunks[i].upper);
    if (lower < upper && joined.emplace(lower, upper).second) continue;
    file.fail(pointer_to("/topology/trunks", i),
              fmt::format("found {} and {}; allowed: two switches that no other trunk joins, with "
                          "the higher number in upper",
                          lower, upper));
  }
  const ShortestPaths paths(topology, topology.of_servers());
  for (std::size_t i = 0; i < topology.switches.size(); ++i) {
    if (paths.trunks(static_cast<SwitchIndex>(i))) continue;
    file.fail(pointer_to("/topology/switches", i),
              fmt::format("found no path to {}; allowed: a path from each switch",
                          topology.switches[topology.of_servers()].name));
  }
}

}  // namespace

void check_topology(const Topology& topology, const PlainDocument& file) {
  check_names(topology, file);
  check_racks(topology, file);
  check_trunks(topology, file);
}

}  // namespace ina::cluster
