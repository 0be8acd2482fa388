// SPDX-License-Identifier: BSD-3-Clause
// Prints, as JSON, which frames the member table of the switch models admits. Reads an object with
// the protocol, the values of a packet, jobs as in tests/vectors/golden_traces, and frames, each
// [ingress, bytes].
#include <boost/algorithm/hex.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "hw/protocol/wire/codec.hpp"
#include "switch-models/programs/member_table.hpp"
#include "tests/conformance/golden_trace_members.hpp"

namespace ina {
namespace {

using programs::MemberTable;

wire::Protocol protocol_of(const std::string& name) {
  const auto* const found = std::ranges::find(wire::kProtocolNames, name);
  return static_cast<wire::Protocol>(found - wire::kProtocolNames.begin());
}

bool admits(const MemberTable& table, wire::Protocol protocol, ValuePool& pool,
            const nlohmann::json& arrival) {
  std::vector<unsigned char> bytes;
  boost::algorithm::unhex(arrival.at(1).get<std::string>(), std::back_inserter(bytes));
  const auto frame = wire::decode(protocol, std::as_bytes(std::span(bytes)), pool);
  return frame && table.admits(*frame, arrival.at(0).get<HostId>());
}

}  // namespace
}  // namespace ina

int main() {
  using namespace ina;
  const nlohmann::json asked = nlohmann::json::parse(std::cin);
  const wire::Protocol protocol = protocol_of(asked.at("protocol"));
  const programs::MemberTable table = golden_traces::members_of(asked.at("jobs"));
  ValuePool pool(asked.at("values_per_packet").get<std::size_t>());
  auto answers = nlohmann::json::array();
  for (const auto& arrival : asked.at("frames")) {
    answers.push_back(admits(table, protocol, pool, arrival));
  }
  std::cout << answers.dump() << '\n';
  return 0;
}
