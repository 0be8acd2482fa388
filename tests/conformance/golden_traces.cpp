// SPDX-License-Identifier: BSD-3-Clause
// Plays each golden trace of tests/vectors/golden_traces to the data-plane programs. After every
// step the registers and the outgoing packet must equal the golden trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/conformance/golden_trace_player.hpp"

namespace ina {
namespace {

using golden_traces::Json;
using Files = std::vector<std::filesystem::path>;

Files files(const std::string& folder) {
  Files found;
  for (const auto& file : std::filesystem::directory_iterator(INA_SOURCE_DIR "/tests/" + folder)) {
    if (file.is_regular_file()) found.push_back(file.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

template <class Program>
void expect_cells(Program& program, const Json& registers) {
  for (const auto& [array, cells] : registers.items()) {
    for (const auto& [index, cell] : cells.items()) {
      const auto place = static_cast<std::uint32_t>(std::stoul(index));
      EXPECT_EQ(golden_traces::cell_of(program, array, place), cell) << array << ' ' << index;
    }
  }
}

template <class Mode>
void play(const std::filesystem::path& file) {
  const Json golden_trace = Json::parse(std::ifstream(file));
  const auto compare = [&](wire::Format format, auto& at, auto& program) {
    golden_traces::Player player(golden_trace, format, at, program);
    for (const Json& step : golden_trace.at("steps")) {
      SCOPED_TRACE(step.at("says").template get<std::string>());
      const golden_traces::Outcome outcome = player.play(step);
      ASSERT_TRUE(outcome.is_processed);
      EXPECT_EQ(outcome.out, step.at("out"));
      EXPECT_EQ(outcome.further_passes, step.value("further_passes", outcome.further_passes));
      expect_cells(program, step.at("registers"));
    }
  };
  golden_traces::with_program<Mode>(golden_trace, compare);
}

class GoldenTrace : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTrace, IsWhatTheProgramDoes) { play<rmt::Checked>(GetParam()); }

TEST_P(GoldenTrace, IsWhatSeparatePassesDoIfNothingComesInBetween) {
  play<rmt::CheckedSeparate>(GetParam());
}

class GoldenTraceOfPasses : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTraceOfPasses, IsWhatTheProgramDoes) { play<rmt::CheckedSeparate>(GetParam()); }

std::string name_of(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, GoldenTrace, ::testing::ValuesIn(files("vectors/golden_traces")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Every, GoldenTraceOfPasses,
                         ::testing::ValuesIn(files("vectors/golden_traces/of_passes")), name_of);

}  // namespace
}  // namespace ina
