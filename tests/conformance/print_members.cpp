// SPDX-License-Identifier: BSD-3-Clause
// Prints, as JSON, which frames the member table of the switch models admits. Reads an object with
// the protocol, jobs as in tests/vectors/stories, and frames, each [ingress, bytes].
#include <boost/algorithm/hex.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hw/protocol/wire/codec.hpp"
#include "switch-models/programs/member_table.hpp"

namespace ina {
namespace {

using programs::MemberTable;

wire::Protocol protocol_of(const std::string& name) {
  const auto* const found = std::ranges::find(wire::kProtocolNames, name);
  return static_cast<wire::Protocol>(found - wire::kProtocolNames.begin());
}

MemberTable read_jobs(const nlohmann::json& jobs) {
  MemberTable table;
  for (const auto& [id, job] : jobs.items()) {
    const auto workers = job.at("workers").get<std::vector<HostId>>();
    table.install(static_cast<JobId>(std::stoul(id)), workers,
                  job.value("server", MemberTable::kNobody),
                  {workers.size(), wire::one_level(workers.size())});
  }
  return table;
}

bool admits(const MemberTable& table, wire::Protocol protocol, const nlohmann::json& arrival) {
  std::vector<unsigned char> bytes;
  boost::algorithm::unhex(arrival.at(1).get<std::string>(), std::back_inserter(bytes));
  ValuePool pool(protocol == wire::Protocol::switchml ? wire::kSwitchmlValues[0]
                                                      : wire::kFragmentValues);
  const auto frame = wire::decode(protocol, std::as_bytes(std::span(bytes)), pool);
  return frame && table.admits(*frame, arrival.at(0).get<HostId>());
}

}  // namespace
}  // namespace ina

int main() {
  using namespace ina;
  const nlohmann::json asked = nlohmann::json::parse(std::cin);
  const wire::Protocol protocol = protocol_of(asked.at("protocol"));
  const programs::MemberTable table = read_jobs(asked.at("jobs"));
  auto answers = nlohmann::json::array();
  for (const auto& arrival : asked.at("frames")) {
    answers.push_back(admits(table, protocol, arrival));
  }
  std::cout << answers.dump() << '\n';
  return 0;
}
