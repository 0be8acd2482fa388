// SPDX-License-Identifier: BSD-3-Clause
// Every bad/NAME.json is refused with exactly the line in bad/NAME.error.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenario_files.hpp"

namespace ina::test {
namespace {

TEST(BadFiles, EachGivesItsLine) {
  const ScenarioFolder traces;
  const auto files = json_files(kTests / "bad");
  EXPECT_GE(files.size(), 100U);
  for (auto file : files) {
    SCOPED_TRACE(file.filename());
    auto line = ScenarioFolder::without(traces.error(file), (kTests / "bad").string() + "/");
    line = ScenarioFolder::without(line, kTests.string() + "/");
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line + "\n", read_text(file.replace_extension(".error")));
  }
}

TEST(BadFiles, NoExpectationStandsAlone) {
  for (const auto& entry : std::filesystem::directory_iterator(kTests / "bad")) {
    auto file = entry.path();
    if (file.extension() == ".error") {
      EXPECT_TRUE(std::filesystem::exists(file.replace_extension(".json"))) << file;
    }
  }
}

}  // namespace
}  // namespace ina::test
