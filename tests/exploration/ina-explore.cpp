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
/// States have 32-bit numbers.
constexpr std::uint64_t kMostStates = 4'000'000'000;

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

/// The protocol as it is, or with a mistake, in which case the configuration must be of its system.
MakeSystem system_of(const std::string& name, const std::string& mutant) {
  const Configuration configuration = parse_configuration(name);
  if (mutant.empty()) return make_system;
  const Mutant& one = mutant_of_name(mutant);
  const Configuration its = parse_configuration(one.configuration);
  if (its.system != configuration.system || its.policy != configuration.policy) {
    throw std::invalid_argument("mutant '" + mutant + "' is of a system as in " +
                                std::string(one.configuration) + ", not of '" + name + "'");
  }
  return make_mutant(one);
}

int replay(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(path + ": cannot be read");
  std::string failure;
  try {
    const Replay replay = read_replay(file);
    failure = step_through(replay, system_of(replay.configuration, replay.mutant), std::cout);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path + ": " + error.what());
  }
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
      explore(parse_configuration(name), system_of(name, arguments.mutant), arguments.most_states);
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
  if (!file) throw std::runtime_error(arguments.save + ": cannot be written");
  return false;
}

int run(const Arguments& arguments) {
  if (!arguments.replay.empty()) return replay(arguments.replay);
  const std::vector<std::string> names = chosen(arguments);
  for (const std::string& name : names) system_of(name, arguments.mutant);
  if (arguments.list) {
    for (const std::string& name : names) std::cout << name << '\n';
    return 0;
  }
  std::ofstream json;
  if (!arguments.json.empty()) json.open(arguments.json);
  if (!json) throw std::invalid_argument(arguments.json + ": cannot be written");
  nlohmann::json all = nlohmann::json::array();
  bool good = true;
  for (const std::string& name : names) good = explore_one(name, arguments, all) && good;
  if (json.is_open()) json << all.dump(2) << '\n';
  return good ? 0 : kViolation;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs the protocols over every schedule of small clusters.", "ina explore");
  Arguments arguments;
  CLI::Option* names = app.add_option(
      "NAME", arguments.names,
      "configurations, such as dsa-priority-w2-j2-a1-f2-k1 (default: the bounded set)");
  CLI::Option* full = app.add_flag("--full", arguments.full, "the large configurations too");
  app.add_flag("--list", arguments.list, "only tell the names");
  CLI::Option* mutant =
      app.add_option("--mutant", arguments.mutant, "with this mistake in the switch");
  CLI::Option* replay =
      app.add_option("--replay", arguments.replay, "step through a schedule, in words");
  for (CLI::Option* other : {names, full, mutant}) replay->excludes(other);
  app.add_option("--json", arguments.json, "write the numbers of states to this file");
  app.add_option("--save", arguments.save, "where a schedule that fails goes")
      ->capture_default_str();
  full->excludes(names);
  app.add_option("--most-states", arguments.most_states, "stop beyond so many states")
      ->check(CLI::Range(std::uint64_t{1}, kMostStates))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    return run(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "ina explore: " << error.what() << '\n';
    return kWrongArguments;
  } catch (const std::invalid_argument& error) {
    std::cerr << "ina explore: " << error.what() << '\n';
    return kWrongArguments;
  } catch (const std::exception& error) {
    std::cerr << "ina explore: " << error.what() << '\n';
    return kTrouble;
  }
}
