// SPDX-License-Identifier: BSD-3-Clause
// Requirements for a file before its content is read as a scenario.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "scenario_files.hpp"

namespace ina::test {
namespace {

using namespace std::string_literals;

TEST(ScenarioFile, MustBeAReadableFile) {
  const ScenarioFolder folder;
  EXPECT_EQ(folder.error(folder.path("none.json")), "none.json: cannot be read: no such file");
  std::filesystem::create_directory(folder.path("folder.json"));
  EXPECT_EQ(folder.error(folder.path("folder.json")),
            "folder.json: cannot be read: it is a directory");
  ASSERT_EQ(mkfifo(folder.path("pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(folder.error(folder.path("pipe.json")),
            "pipe.json: cannot be read: it is not a regular file");
}

TEST(ScenarioFile, MustBeNoLargerThan16MiB) {
  const ScenarioFolder folder;
  const std::string scenario = R"({"jobs":{"profile":"tiny"}})";
  constexpr std::size_t kLimit = std::size_t{16} << 20;
  const auto file =
      folder.write("large.json", scenario + std::string(kLimit - scenario.size(), ' '));
  EXPECT_EQ(folder.error(file), "no error");
  std::filesystem::resize_file(file, kLimit + 1);
  EXPECT_EQ(folder.error(file), "large.json: cannot be read: it is larger than 16 MiB");
}

TEST(ScenarioFile, MessagesAreOneLineWhateverTheKeysAre) {
  const ScenarioFolder folder;
  EXPECT_THAT(
      folder.error(folder.write("a.json", R"({"line\nbreak":1,"jobs":{"profile":"tiny"}})")),
      testing::StartsWith("a.json: /line\\x0abreak: unknown key; allowed: name,"));
}

TEST(ScenarioFile, MessagesAreShortWhateverTheKeysAre) {
  const ScenarioFolder folder;
  const auto error = [&](const std::string& json) {
    auto line = folder.error(folder.write("a.json", json));
    EXPECT_LT(line.size(), 4096U);
    return line;
  };
  const auto longest = std::string(128, '\x7f');
  EXPECT_THAT(error("{\"" + longest + "\": 1}"), testing::HasSubstr("unknown key"));
  EXPECT_THAT(error("{\"" + longest + "k\": 1}"),
              testing::EndsWith("...\"; allowed: at most 128 bytes"));
  std::string nested = "1";
  for (int level = 0; level < 65; ++level) nested = "{\"" + longest + "\": " + nested + "}";
  EXPECT_THAT(error(nested), testing::HasSubstr("found more than 64 levels"));
  std::string axes;
  for (char axis = 'A'; axis <= 'Z'; ++axis) {
    axes += std::string(axes.empty() ? "" : ",") + "\"/" + axis + longest.substr(2) + "\": [1]";
  }
  EXPECT_THAT(error("{\"jobs\": {\"profile\": \"tiny\"}, \"sweep\": {" + axes + "}}"),
              testing::HasSubstr("unknown key"));
}

TEST(ScenarioFile, NameMustDoAsAFolder) {
  const ScenarioFolder folder;
  const std::string scenario = R"({"jobs":{"profile":"tiny"}})";
  EXPECT_EQ(ina::scenarios::read_experiment(folder.write("fig-8_v1.2.json", scenario)).name,
            "fig-8_v1.2");
  for (const auto* name : {"", ".", "..", "-a", "a/b", "a.", "a\\n"}) {
    const auto file = folder.write(
        "c.json", R"({"name":")" + std::string(name) + R"(","jobs":{"profile":"tiny"}})");
    EXPECT_THAT(folder.error(file), testing::HasSubstr("/name: ")) << name;
  }
}

TEST(ScenarioFile, NameIsMadeOfAnyFileName) {
  const ScenarioFolder folder;
  const std::string scenario = R"({"jobs":{"profile":"tiny"}})";
  const auto name_of = [&](const std::string& file) {
    return ina::scenarios::read_experiment(folder.write(file, scenario)).name;
  };
  EXPECT_EQ(name_of("my cluster.json"), "my-cluster");
  EXPECT_EQ(name_of("8 jobs (copy).json"), "8-jobs-copy");
  EXPECT_EQ(name_of("m\xc3\xbcnchen.json"), "m-nchen");
  EXPECT_EQ(name_of(" -_.a..json"), "a");
  EXPECT_EQ(name_of(std::string(200, 'x') + ".json"), std::string(100, 'x'));
  EXPECT_THAT(folder.error(folder.write("\xe6\x97\xa5\xe6\x9c\xac.json", scenario)),
              testing::EndsWith(".json: /name: the key is missing, and the file's name contains "
                                "no valid name; allowed: up to 100 of A-Z a-z 0-9 . _ -, "
                                "beginning with a letter or digit and not ending with a dot"));
  EXPECT_THAT(folder.error(folder.write(".json", scenario)),
              testing::StartsWith(".json: /name: the key is missing, and the file's name"));
  EXPECT_EQ(folder.error(folder.write("my cluster.json", R"({"name":"ok","jobs":{"profile":1}})"))
                .find("/name"),
            std::string::npos);
}

TEST(ScenarioFile, MayHaveAByteOrderMark) {
  const ScenarioFolder folder;
  const std::string mark = "\xef\xbb\xbf";
  const std::string scenario =
      R"({"jobs":{"profile":"marked.json","compute_time_factors":"marked.csv","workers":2}})";
  folder.write("marked.json", mark + R"({"layers":[{"parameters":7}]})");
  folder.write("marked.csv", mark + "worker,iteration,relative_time\r\n0,0,1.5\r\n");
  const auto experiment = ina::scenarios::read_experiment(folder.write("a.json", mark + scenario));
  const auto& job = experiment.points.front().combination->jobs.front();
  EXPECT_EQ(job.profile.layers[0].parameters, 7U);
  EXPECT_EQ(job.compute_time_factors, (std::vector<std::vector<double>>{{1.5}}));
  EXPECT_THAT(folder.error(folder.write("b.json", mark + "{,}")),
              testing::StartsWith("b.json: line 1, column 2: invalid JSON"));
}

TEST(ScenarioFile, MayHaveFactorsFromASpreadsheet) {
  const ScenarioFolder folder;
  const auto file = folder.write(
      "a.json", R"({"jobs":{"profile":"tiny","compute_time_factors":"factors.csv","workers":2}})");
  const std::string rows = "\"worker\",\"iteration\",\"relative_time\"\r\n\"0\",0,\"1.5\"\r\n";
  folder.write("factors.csv", rows + ",,\r\n,,\r\n\r\n");
  const auto experiment = ina::scenarios::read_experiment(file);
  EXPECT_EQ(experiment.points.front().combination->jobs.front().compute_time_factors,
            (std::vector<std::vector<double>>{{1.5}}));
  folder.write("factors.csv", rows + ",,\r\n0,1,1\r\n");
  EXPECT_EQ(folder.error(file),
            "factors.csv: line 3: found \",,\"; allowed: two integers and a number");
  folder.write("factors.csv", rows + "0,1,\"1,5\"\r\n");
  EXPECT_THAT(folder.error(file), testing::HasSubstr("allowed: two integers and a number"));
}

TEST(ScenarioFile, MustNotBeInUtf16) {
  const ScenarioFolder folder;
  for (const auto& text : {"\xff\xfe{\0}\0"s, "\xfe\xff\0{\0}"s, "{\0}\0"s, "\0{\0}"s}) {
    EXPECT_EQ(folder.error(folder.write("wide.json", text)),
              "wide.json: cannot be read: found UTF-16; allowed: UTF-8");
  }
  folder.write("wide.csv", "\xff\xfew\0o\0"s);
  EXPECT_THAT(folder.error(folder.write(
                  "a.json", R"({"jobs":{"profile":"tiny","compute_time_factors":"wide.csv"}})")),
              testing::EndsWith("wide.csv cannot be read: found UTF-16; allowed: UTF-8"));
}

TEST(ScenarioFile, MessagesArePrintableAsciiWhateverTheTextIs) {
  const ScenarioFolder folder;
  const std::string turned = "\xe2\x80\xae";  // U+202E, right-to-left override
  for (const std::string& text : {
           R"({"k\u00ff\u202e":1,"jobs":{"profile":"tiny"}})"s,
           R"({"system":"\u202eB\u007f\u0085","jobs":{"profile":"tiny"}})"s,
           "{\"system\":\"" + turned + "\",\"jobs\":{\"profile\":\"tiny\"}}",
           "{\"jobs\":{\"profile\":\"" + turned + ".json\"}}",
           "{\"jobs\":{\"profile\":\"\xff\"}}"s,
           R"({"jobs":{"profile":"tiny"},"sweep":{"/system":["\u202e"]}})"s,
       }) {
    const auto line = folder.error(folder.write("a" + turned + ".json", text));
    EXPECT_THAT(line, testing::StartsWith("a\\xe2\\x80\\xae.json: ")) << text;
    EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; })) << line;
  }
}

/// Reads the text as a scenario. It must be accepted, or rejected with a one-line message.
void survive(const ScenarioFolder& folder, const std::string& text) {
  const auto line = folder.error(folder.write("mutant.json", text));
  EXPECT_TRUE(line == "no error" || line.starts_with("mutant.json: ")) << line << "\n" << text;
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(ScenarioFile, NoPrefixIsAScenario) {
  const ScenarioFolder folder;
  auto text = read_text(kTests / "good" / "everything.json");
  text.erase(text.find_last_not_of('\n') + 1);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto line = folder.error(folder.write("prefix.json", text.substr(0, size)));
    EXPECT_THAT(line, testing::MatchesRegex("prefix\\.json: line [0-9]+, column [0-9]+: .*"));
  }
}

TEST(ScenarioFile, MutantsAreReadOrRefused) {
  const ScenarioFolder folder;
  const auto text = read_text(kTests / "good" / "everything.json");
  std::mt19937 random(1);
  const auto letters = "{}[]\",:0123456789.-eE+aunsmsGBtrue\\\n\0\xff~/"s;
  for (int i = 0; i < 3'000; ++i) {
    auto mutant = text;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      mutant[random() % mutant.size()] = letters[random() % letters.size()];
    }
    survive(folder, mutant);
  }
}

}  // namespace
}  // namespace ina::test
