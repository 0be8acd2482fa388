// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/device_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <regex>

#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

namespace {

/// PCI addresses must have this form because DPDK compares them with those that it prints itself.
bool is_device_name(const std::string& name) {
  static const std::regex allowed("net_[a-z0-9_]+|[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");
  return std::regex_match(name, allowed);
}

DeviceSpec::Argument parse_argument(const std::string& text, const std::string& device) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw PortError(fmt::format("{}: found argument {:?}; allowed: KEY=VALUE", device, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

DeviceSpec DeviceSpec::parse(const std::string& text) {
  std::vector<std::string> parts;
  boost::split(parts, text, boost::is_any_of(","));
  DeviceSpec spec{parts.front(), {}};
  if (!is_device_name(spec.name)) {
    throw PortError(
        fmt::format("device {:?}: found {}; allowed: a virtual device of DPDK (net_...) or the PCI "
                    "address of a NIC (0000:01:00.0), followed by ,KEY=VALUE for each argument",
                    text, spec.name.empty() ? "no name" : "a name that is not a device's"));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Argument argument = parse_argument(parts[i], spec.name);
    if (spec.find(argument.key) != nullptr) {
      throw PortError(fmt::format("{}: found {}= twice; allowed: once", spec.name, argument.key));
    }
    spec.arguments.push_back(std::move(argument));
  }
  return spec;
}

const std::string* DeviceSpec::find(const std::string& key) const {
  const auto found = std::ranges::find(arguments, key, &Argument::key);
  return found == arguments.end() ? nullptr : &found->value;
}

void DeviceSpec::set(const std::string& key, const std::string& value) {
  const auto found = std::ranges::find(arguments, key, &Argument::key);
  if (found == arguments.end()) {
    arguments.push_back({key, value});
  } else {
    found->value = value;
  }
}

std::string DeviceSpec::text() const {
  std::string text = name;
  for (const Argument& argument : arguments) text += "," + argument.key + "=" + argument.value;
  return text;
}

}  // namespace ina::ports
