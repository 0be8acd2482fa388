// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "hw/fields/number_argument.hpp"
#include "hw/fields/size_argument.hpp"
#include "hw/files/exit_status.hpp"
#include "hw/files/requested_file.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"
#include "tests/exploration/explorer.hpp"
#include "tests/exploration/mutants.hpp"
#include "tests/exploration/replay.hpp"
#include "tests/support/json_file.hpp"

namespace {

using namespace ina::exploration;

/// State numbers have 32 bits.
constexpr std::uint64_t kMostStates = 4'000'000'000;
constexpr std::uint64_t kMostBytes = 100'000'000'000'000;
/// First line of a saved schedule. A file that begins with it may be overwritten.
constexpr std::string_view kSavedByUs = "# written by ina explore --save\n";

struct Arguments {
  std::vector<std::string> names;
  bool full = false;
  bool list = false;
  std::string mutant;
  std::string replay;
  std::string json;
  std::string save = ".";
  std::uint64_t most_states = Limits{}.states;
  std::uint64_t most_bytes = 8'000'000'000;
};

std::vector<std::string> chosen(const Arguments& arguments) {
  if (!arguments.names.empty()) return arguments.names;
  if (!arguments.mutant.empty()) {
    return {std::string(mutant_of_name(arguments.mutant).configuration)};
  }
  std::vector<std::string> names = bounded_configurations();
  if (arguments.full) {
    const auto further = further_configurations();
    names.insert(names.end(), further.begin(), further.end());
  }
  return names;
}

/// The real protocol, or a mutant of it, which must belong to the system of the configuration.
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

std::string text_of(const std::string& path) {
  try {
    return ina::files::read(path);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
}

int replay(const std::string& path) {
  std::istringstream file(text_of(path));
  std::string failure;
  std::string expected;
  try {
    const Replay replay = read_replay(file);
    expected = replay.finding.failure;
    failure = step_through(replay, system_of(replay.configuration, replay.mutant), std::cout);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path + ": " + error.what());
  }
  if (failure != expected) std::cout << "the file says: " << expected << '\n';
  std::cout << (failure.empty() ? "nothing is wrong" : "wrong: " + failure) << '\n';
  return failure.empty() ? 0 : ina::exit_status::kFailedRun;
}

nlohmann::ordered_json to_json(const std::string& name, const Report& report, double seconds) {
  nlohmann::ordered_json json = {{"configuration", name},       {"states", report.states},
                                 {"steps", report.steps},       {"depth", report.depth},
                                 {"complete", report.complete}, {"seconds", seconds}};
  if (report.finding) json["failure"] = report.finding->failure;
  return json;
}

/// File for the failing schedule of a configuration, if there is one.
ina::files::RequestedFile schedule_file(const std::string& name, const Arguments& arguments) {
  const std::string mutant = arguments.mutant.empty() ? "" : "-" + arguments.mutant;
  return {"--save",
          std::filesystem::path(arguments.save) / ("counterexample-" + name + mutant + ".txt"),
          kSavedByUs};
}

void save_schedule(const std::string& name, const Arguments& arguments, const Finding& finding) {
  const ina::files::RequestedFile file = schedule_file(name, arguments);
  std::ostringstream schedule;
  schedule << kSavedByUs;
  write_replay(schedule, {name, arguments.mutant, finding});
  try {
    file.write(schedule.str());
    std::cout << "ina explore --replay " << file.path().string()
              << " prints the schedule in words\n";
  } catch (const std::exception& error) {
    std::cerr << "ina: --save: " << ina::files::reason_of(error) << '\n';
  }
}

/// Number of configurations per outcome.
struct Totals {
  int complete = 0;
  int cut_off = 0;
  int wrong = 0;
};

void explore_one(const std::string& name, const Arguments& arguments,
                 ina::testing::JsonFile& numbers, Totals& totals) {
  const auto start = std::chrono::steady_clock::now();
  const Report report = explore(parse_configuration(name), system_of(name, arguments.mutant),
                                {arguments.most_states, arguments.most_bytes});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const bool cut_off = !report.complete && !report.finding;
  ++(report.finding ? totals.wrong : cut_off ? totals.cut_off : totals.complete);
  std::cout << name << ": " << report.states << " states, " << report.steps << " steps, depth "
            << report.depth << ", " << seconds.count() << " s" << (cut_off ? ", cut off" : "")
            << '\n';
  ina::files::flush_standard_output();
  numbers.add(to_json(name, report, seconds.count()));
  if (!report.finding) return;
  std::cout << "wrong: " << report.finding->failure << '\n';
  save_schedule(name, arguments, *report.finding);
}

int run(const Arguments& arguments) {
  if (!arguments.replay.empty()) return replay(arguments.replay);
  const std::vector<std::string> names = chosen(arguments);
  for (const std::string& name : names) system_of(name, arguments.mutant);
  if (arguments.list) {
    for (const std::string& name : names) std::cout << name << '\n';
    return 0;
  }
  ina::testing::JsonFile numbers(arguments.json, "ina explore", "configurations");
  for (const std::string& name : names) schedule_file(name, arguments);
  Totals totals;
  for (const std::string& name : names) explore_one(name, arguments, numbers, totals);
  std::cout << totals.complete << " complete, " << totals.cut_off << " cut off, " << totals.wrong
            << " wrong\n";
  return totals.wrong == 0 ? 0 : ina::exit_status::kFailedRun;
}

int parse_and_run(CLI::App& app, int argc, char** argv, const Arguments& arguments) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw;
  }
  return run(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  ina::files::survive_broken_pipes();
  CLI::App app("Runs the protocols over every schedule of small clusters.", "ina explore");
  Arguments arguments;
  CLI::Option* names =
      app.add_option("NAME", arguments.names,
                     "names of configurations, such as dsa-priority-w2-j2-a1-f2-k1 (default: the "
                     "bounded set, which is also a test)");
  CLI::Option* full = app.add_flag("--full", arguments.full, "also run the large configurations");
  app.add_flag("--list", arguments.list, "only print the names");
  CLI::Option* mutant =
      app.add_option("--mutant", arguments.mutant,
                     "run with this deliberate mistake in a switch, server or worker (default "
                     "configuration: the smallest one that shows the mistake)");
  CLI::Option* replay = app.add_option("--replay", arguments.replay,
                                       "replay a saved schedule and describe each step");
  for (CLI::Option* other : {names, full, mutant}) replay->excludes(other);
  app.add_option("--json", arguments.json, "also write the numbers of states to this file");
  app.add_option("--save", arguments.save, "folder for schedules that fail")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  full->excludes(names)->excludes(mutant);
  app.add_option("--most-states", arguments.most_states,
                 "stop a configuration after this number of states")
      ->transform(ina::fields::whole_number({1, kMostStates}))
      ->capture_default_str();
  app.add_option("--most-memory", arguments.most_bytes,
                 "stop a configuration when its states take this much memory (for moments twice as "
                 "much), in bytes or with a unit")
      ->transform(ina::fields::as_bytes({1, kMostBytes}))
      ->default_str("8GB");
  const auto ended_by = [](const std::exception& error, int status) {
    std::cerr << "ina: " << ina::files::reason_of(error) << '\n';
    return status;
  };
  try {
    const int status = parse_and_run(app, argc, argv, arguments);
    ina::files::flush_standard_output();
    return status;
  } catch (const CLI::ParseError& error) {
    return ended_by(error, ina::exit_status::kWrongInput);
  } catch (const std::invalid_argument& error) {
    return ended_by(error, ina::exit_status::kWrongInput);
  } catch (const ina::files::NotWritten& error) {
    return ended_by(error, ina::exit_status::kWrongInput);
  } catch (const std::exception& error) {
    return ended_by(error, ina::exit_status::kEnvironmentError);
  }
}
