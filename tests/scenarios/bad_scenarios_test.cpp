// SPDX-License-Identifier: BSD-3-Clause
// Every scenario of bad.json is rejected with exactly its error message.
//
// An entry has a unique name, by which the table is sorted, the scenario, and the error. A scenario
// that is not JSON, or whose text matters, is a string: `text`. The error belongs to the scenario
// unless `file` names another file. Files that scenarios read are in bad/.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "scenario_files.hpp"

namespace ina::test {
namespace {

using Json = nlohmann::ordered_json;

struct BadScenario {
  std::string name;
  std::string text;
  std::string line;  ///< line of the error message
};

std::ostream& operator<<(std::ostream& out, const BadScenario& bad) { return out << bad.name; }

BadScenario bad_scenario(const Json& entry) {
  const auto name = entry.at("name").get<std::string>();
  const auto file = entry.value("file", name + ".json");
  return {
      name,
      entry.contains("text") ? entry.at("text").get<std::string>() : entry.at("scenario").dump(),
      file + ": " + entry.at("error").get<std::string>()};
}

std::vector<BadScenario> bad_scenarios() {
  std::vector<BadScenario> cases;
  for (const auto& entry : Json::parse(read_text(kTests / "bad.json"))) {
    cases.push_back(bad_scenario(entry));
  }
  return cases;
}

/// Error of a scenario next to the files of bad/, without the path of their folder.
std::string error_of(const std::string& name, const std::string& text) {
  const ScenarioFolder folder;
  std::filesystem::copy(kTests / "bad", folder.path("bad"),
                        std::filesystem::copy_options::recursive);
  const auto file = folder.write("bad/" + name + ".json", text);
  return ScenarioFolder::without(ScenarioFolder::without(folder.error(file), "bad/"),
                                 kTests.string() + "/");
}

class BadScenarios : public testing::TestWithParam<BadScenario> {};

TEST_P(BadScenarios, IsRefusedWithItsLine) {
  EXPECT_EQ(error_of(GetParam().name, GetParam().text), GetParam().line);
}

std::string test_name(const testing::TestParamInfo<BadScenario>& info) {
  auto name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, BadScenarios, testing::ValuesIn(bad_scenarios()), test_name);

TEST(BadScenariosTable, IsSortedByNamesThatAreUnique) {
  const auto cases = bad_scenarios();
  EXPECT_GE(cases.size(), 290U);
  const auto out_of_order =
      std::ranges::adjacent_find(cases, std::ranges::greater_equal(), &BadScenario::name);
  EXPECT_TRUE(out_of_order == cases.end()) << out_of_order->name;
}

TEST(BadScenariosTable, HasACaseForEachFile) {
  const auto table = read_text(kTests / "bad.json");
  for (const auto& entry : std::filesystem::directory_iterator(kTests / "bad")) {
    EXPECT_NE(table.find('"' + entry.path().filename().string()), std::string::npos)
        << entry.path();
  }
}

TEST(BadScenariosTable, CannotHoldTextThatIsNotUtf8) {
  EXPECT_EQ(error_of("latin1", "{\"description\":\"\xff\"}"),
            "latin1.json: line 1, column 17: invalid JSON: syntax error while parsing value - "
            "invalid string: ill-formed UTF-8 byte; last read: '\"\\xff'");
}

}  // namespace
}  // namespace ina::test
