// SPDX-License-Identifier: BSD-3-Clause
// Reads a story of tests/vectors that leaves open what leaves the switch and what register cells
// hold, and prints it as the data-plane program tells it. In front of the program stands the table
// of members, as in a switch.
#include <iostream>
#include <string>

#include "tests/conformance/story_members.hpp"
#include "tests/conformance/story_programs.hpp"

namespace ina {
namespace {

using stories::Json;

template <class Program>
class Teller {
 public:
  Teller(const Json& story, wire::Protocol protocol, Program& program)
      : story_(story),
        protocol_(protocol),
        members_(stories::members_of(story.at("jobs"))),
        pool_(story.at("values_per_packet").get<std::size_t>()),
        program_(program) {}

  void tell(Json& step) {
    rmt::Verdict verdict = rmt::kDrop;
    step["out"] = leaving(step, verdict);
    step["further_passes"] = {verdict.resubmits, verdict.recirculations};
    for (auto& [array, cells] : step.at("registers").items()) {
      for (auto& [index, cell] : cells.items()) {
        cell = stories::cell_of(program_, array, static_cast<std::uint32_t>(std::stoul(index)));
      }
    }
  }

 private:
  Json leaving(const Json& step, rmt::Verdict& verdict) {
    auto frame = wire::decode(protocol_, stories::bytes_of(step.at("frame")), pool_);
    if (!frame || !members_.admits(*frame, step.at("ingress").get<HostId>())) return nullptr;
    verdict = program_.process(*frame, std::chrono::microseconds(step.at("at_us")));
    return stories::out_of(story_, protocol_, *frame, verdict);
  }

  const Json& story_;
  wire::Protocol protocol_;
  programs::MemberTable members_;
  ValuePool pool_;
  Program& program_;
};

}  // namespace
}  // namespace ina

int main() {
  using namespace ina;
  Json story = Json::parse(std::cin);
  const Json open = story;
  stories::with_program(open, [&](wire::Protocol protocol, auto& program) {
    Teller teller(open, protocol, program);
    for (Json& step : story.at("steps")) teller.tell(step);
  });
  std::cout << story.dump() << '\n';
  return 0;
}
