// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/mp11.hpp>
#include <chrono>
#include <iostream>
#include <optional>

#include "hw/fields/number_argument.hpp"
#include "hw/files/exit_status.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"
#include "tests/campaigns/campaign.hpp"
#include "tests/campaigns/mistakes.hpp"
#include "tests/support/json_file.hpp"

namespace {

using namespace ina::campaigns;
using ina::testing::SystemId;

constexpr std::uint64_t kMostSeed = 0xffffffff;

std::vector<std::string> names_of_systems() {
  std::vector<std::string> names;
  for (const SystemId system : campaign_systems())
    names.emplace_back(ina::cluster::name_of(system));
  return names;
}

struct Arguments {
  std::vector<std::string> systems = names_of_systems();
  std::uint64_t runs = 1000;
  std::uint64_t first_seed = 1;
  std::optional<std::uint64_t> seed;
  std::uint64_t most_failures = 10;
  std::string json;
  std::string mutant;
  bool hostile = false;
  bool open_ports = false;
  bool trace = false;
};

SystemId system_of(const std::string& name) {
  const auto* const found = std::ranges::find(ina::cluster::kSystemNames, name);
  return static_cast<SystemId>(found - ina::cluster::kSystemNames.begin());
}

std::vector<std::string> mutant_names() {
  std::vector<std::string> names;
  for (const Mistake& mistake : mistakes()) names.emplace_back(mistake.mutant);
  return names;
}

/// Rejects a mutant that is not a mistake of the selected system.
void check_mutant(const Arguments& arguments) {
  for (const Mistake& mistake : mistakes()) {
    const std::string system(ina::cluster::name_of(mistake.system));
    if (mistake.mutant == arguments.mutant && arguments.systems != std::vector{system}) {
      throw std::invalid_argument("--mutant " + arguments.mutant + " needs --system " + system);
    }
  }
}

Setting setting_of(const std::string& mutant) {
  for (const Mistake& mistake : mistakes()) {
    if (mistake.mutant == mutant) return setting_with(mistake);
  }
  return {};
}

nlohmann::ordered_json to_json(const Counts& counts) {
  nlohmann::ordered_json json;
  using Members = boost::describe::describe_members<Counts, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Members>(
      [&](auto member) { json[member.name] = counts.*member.pointer; });
  return json;
}

void print(const Counts& counts) {
  const nlohmann::ordered_json json = to_json(counts);
  for (const auto& [name, value] : json.items()) {
    std::cout << "  " << name << ": " << value << '\n';
  }
}

void print_failure(const std::string& system, std::uint64_t seed, const Outcome& outcome,
                   const Arguments& arguments) {
  std::cout << "wrong: " << system << ", seed " << seed << ": " << outcome.failure
            << "\n  ina campaign --system " << system << " --seed " << seed << " --trace"
            << (arguments.hostile ? " --hostile" : "")
            << (arguments.open_ports ? " --open-ports" : "")
            << (arguments.mutant.empty() ? "" : " --mutant " + arguments.mutant) << std::endl;
}

/// Runs all seeds of a system. Returns whether every property held.
bool run_system(const std::string& name, const Arguments& arguments,
                ina::testing::JsonFile& numbers) {
  const auto start = std::chrono::steady_clock::now();
  Setting setting = setting_of(arguments.mutant);
  setting.hostile_host = arguments.hostile;
  setting.open_ports = arguments.open_ports;
  const std::uint64_t first = arguments.seed.value_or(arguments.first_seed);
  const std::uint64_t runs = arguments.seed ? 1 : arguments.runs;
  std::cout << name << ": " << runs << " runs, first seed " << first << std::endl;
  Counts total;
  std::uint64_t most_frames = 0;
  ina::Time longest{};
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  std::uint64_t done = 0;
  for (; done < runs && failures.size() < arguments.most_failures; ++done) {
    const std::uint64_t seed = first + done;
    const Outcome outcome =
        run_campaign(system_of(name), seed, setting, arguments.trace ? &std::cout : nullptr);
    total += outcome.counts;
    most_frames = std::max(most_frames, outcome.counts.frames);
    longest = std::max(longest, outcome.ended);
    if (outcome.failure.empty()) continue;
    print_failure(name, seed, outcome, arguments);
    failures.push_back({{"seed", seed}, {"failure", outcome.failure}});
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << name << ": seeds " << first << " to " << first + done - 1 << ", " << failures.size()
            << " wrong, " << seconds.count() << " s; the longest runs took "
            << ina::testing::in_words(longest) << " and " << most_frames << " frames\n";
  print(total);
  ina::files::flush_standard_output();
  numbers.add({{"system", name},
               {"first_seed", first},
               {"runs", done},
               {"seconds", seconds.count()},
               {"longest_us", static_cast<double>(longest.count()) * 1e-6},
               {"most_frames", most_frames},
               {"failures", failures},
               {"counts", to_json(total)}});
  return failures.empty();
}

int run(const Arguments& arguments) {
  ina::testing::JsonFile numbers(arguments.json, "ina campaign", "systems");
  bool good = true;
  for (const std::string& name : arguments.systems) {
    good = run_system(name, arguments, numbers) && good;
  }
  return good ? 0 : ina::exit_status::kFailedRun;
}

int parse_and_run(CLI::App& app, int argc, char** argv, const Arguments& arguments) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw;
  }
  check_mutant(arguments);
  return run(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  ina::files::survive_broken_pipes();
  CLI::App app("Runs random clusters under random faults.", "ina campaign");
  Arguments arguments;
  app.add_option("--system", arguments.systems, "system to run (default: all systems)")
      ->check(CLI::IsMember(arguments.systems));
  app.add_option("--runs", arguments.runs, "number of runs per system")
      ->transform(ina::fields::whole_number({1, kMostSeed}))
      ->capture_default_str();
  app.add_option("--first-seed", arguments.first_seed,
                 "seed of the first run; each further run has the next seed")
      ->transform(ina::fields::whole_number({1, kMostSeed}))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "run only this seed")
      ->transform(ina::fields::whole_number({1, kMostSeed}))
      ->excludes("--runs")
      ->excludes("--first-seed");
  CLI::Option* hostile =
      app.add_flag("--hostile", arguments.hostile, "add a host that forges frames");
  app.add_flag("--open-ports", arguments.open_ports,
               "let switches forward frames without the table of members, which shows what the "
               "table prevents")
      ->needs(hostile);
  app.add_flag("--trace", arguments.trace, "describe all events of the runs");
  app.add_option("--json", arguments.json, "also write the numbers to this file");
  app.add_option(
         "--mutant", arguments.mutant,
         "run with this deliberate mistake in the switch, in training or in the control plane")
      ->check(CLI::IsMember(mutant_names()));
  app.add_option("--most-failures", arguments.most_failures,
                 "number of failures after which a system stops")
      ->transform(ina::fields::whole_number({1, kMostSeed}))
      ->capture_default_str();
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
