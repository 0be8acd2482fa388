// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/exploration/explorer.hpp"
#include "tests/exploration/mutants.hpp"
#include "tests/exploration/replay.hpp"

namespace {

using namespace ina::exploration;

constexpr int kTrouble = 1;
constexpr int kWrongArguments = 2;
constexpr int kViolation = 3;

struct Arguments {
  std::vector<std::string> names;
  bool full = false;
  bool list = false;
  std::string mutant;
  std::string replay;
  std::string json;
  std::string save = "counterexample.txt";
  std::uint64_t most_states = 100'000'000;
};

std::vector<std::string> chosen(const Arguments& arguments) {
  if (!arguments.names.empty()) return arguments.names;
  std::vector<std::string> names = bounded_configurations();
  if (arguments.full) {
    const auto further = further_configurations();
    names.insert(names.end(), further.begin(), further.end());
  }
  return names;
}

/// The protocol as it is, or the mutant of that name.
MakeSystem system_of(const std::string& mutant) {
  if (mutant.empty()) return make_system;
  std::string all;
  for (const Mutant& one : mutants()) {
    if (one.name == mutant) return make_mutant(one);
    all += " " + std::string(one.name);
  }
  throw std::invalid_argument("no mutant '" + mutant + "'; there are" + all);
}

int replay(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(path + ": cannot be read");
  const Replay replay = read_replay(file);
  const std::string failure = step_through(replay, system_of(replay.mutant), std::cout);
  std::cout << (failure.empty() ? "nothing is wrong" : "wrong: " + failure) << '\n';
  return failure.empty() ? 0 : kViolation;
}

nlohmann::json to_json(const std::string& name, const Report& report, double seconds) {
  nlohmann::json json = {{"configuration", name},       {"states", report.states},
                         {"steps", report.steps},       {"depth", report.depth},
                         {"complete", report.complete}, {"seconds", seconds}};
  if (report.finding) json["failure"] = report.finding->failure;
  return json;
}

bool explore_one(const std::string& name, const Arguments& arguments, nlohmann::json& all) {
  const auto start = std::chrono::steady_clock::now();
  const Report report =
      explore(parse_configuration(name), system_of(arguments.mutant), arguments.most_states);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << name << ": " << report.states << " states, " << report.steps << " steps, depth "
            << report.depth << ", " << seconds.count() << " s"
            << (report.complete || report.finding
                    ? ""
                    : ", cut off beyond " + std::to_string(arguments.most_states) + " states")
            << std::endl;
  all.push_back(to_json(name, report, seconds.count()));
  if (!report.finding) return true;
  std::cout << "wrong: " << report.finding->failure << "\nschedule in " << arguments.save
            << "; ina explore --replay " << arguments.save << " tells it in words\n";
  std::ofstream file(arguments.save);
  write_replay(file, {name, arguments.mutant, *report.finding});
  return false;
}

int run(const Arguments& arguments) {
  if (!arguments.replay.empty()) return replay(arguments.replay);
  const std::vector<std::string> names = chosen(arguments);
  for (const std::string& name : names) parse_configuration(name);
  if (arguments.list) {
    for (const std::string& name : names) std::cout << name << '\n';
    return 0;
  }
  nlohmann::json all = nlohmann::json::array();
  bool good = true;
  for (const std::string& name : names) good = explore_one(name, arguments, all) && good;
  if (!arguments.json.empty()) std::ofstream(arguments.json) << all.dump(2) << '\n';
  return good ? 0 : kViolation;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs the protocols over every schedule of small clusters.", "ina explore");
  Arguments arguments;
  app.add_option("NAME", arguments.names,
                 "configurations, such as dsa-priority-w2-j2-a1-f2-k1 (default: the bounded set)");
  app.add_flag("--full", arguments.full, "the large configurations too");
  app.add_flag("--list", arguments.list, "only tell the names");
  app.add_option("--mutant", arguments.mutant, "with this mistake in the switch");
  app.add_option("--replay", arguments.replay, "step through a schedule, in words");
  app.add_option("--json", arguments.json, "write the numbers of states to this file");
  app.add_option("--save", arguments.save, "where a schedule that fails goes")
      ->capture_default_str();
  app.add_option("--most-states", arguments.most_states, "stop beyond so many states")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    return run(arguments);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : kWrongArguments;
  } catch (const std::invalid_argument& error) {
    std::cerr << "ina explore: " << error.what() << '\n';
    return kWrongArguments;
  } catch (const std::exception& error) {
    std::cerr << "ina explore: " << error.what() << '\n';
    return kTrouble;
  }
}
