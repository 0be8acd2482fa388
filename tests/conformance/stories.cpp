// SPDX-License-Identifier: BSD-3-Clause
// Each story of tests/vectors/stories, told to the data-plane programs: after every packet the
// registers hold, and the packet that leaves is, what the story says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/conformance/story_programs.hpp"

namespace ina {
namespace {

using stories::Json;

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& file :
       std::filesystem::directory_iterator(INA_SOURCE_DIR "/tests/vectors/stories")) {
    found.push_back(file.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

template <class Program>
class Listener {
 public:
  Listener(const Json& story, wire::Protocol protocol, Program& program)
      : story_(story),
        protocol_(protocol),
        pool_(story.at("values_per_packet").get<std::size_t>()),
        program_(program) {}

  void listen() {
    for (const Json& step : story_.at("steps")) {
      SCOPED_TRACE(step.at("says").get<std::string>());
      take(step);
      for (const auto& [array, cells] : step.at("registers").items()) {
        for (const auto& [index, cell] : cells.items()) {
          const auto place = static_cast<std::uint32_t>(std::stoul(index));
          EXPECT_EQ(stories::cell_of(program_, array, place), cell) << array << ' ' << index;
        }
      }
    }
  }

 private:
  void take(const Json& step) {
    auto frame = wire::decode(protocol_, stories::bytes_of(step.at("frame")), pool_);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->source, step.at("ingress"));
    const rmt::Verdict verdict =
        program_.process(*frame, std::chrono::microseconds(step.at("at_us")));
    EXPECT_EQ(stories::out_of(story_, protocol_, *frame, verdict), step.at("out"));
  }

  const Json& story_;
  wire::Protocol protocol_;
  ValuePool pool_;
  Program& program_;
};

class Story : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Story, IsWhatTheProgramDoes) {
  const Json story = Json::parse(std::ifstream(GetParam()));
  stories::with_program(story, [&](wire::Protocol protocol, auto& program) {
    Listener(story, protocol, program).listen();
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Story, ::testing::ValuesIn(files()), [](const auto& info) {
  std::string name = info.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ina
