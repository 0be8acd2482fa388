// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "hw/fields/number_argument.hpp"
#include "hw/fields/size_argument.hpp"
#include "hw/files/exit_status.hpp"
#include "hw/files/requested_file.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"
#include "hw/protocol/wire/headers.hpp"
#include "hw/protocol/wire/limits.hpp"
#include "switch-models/report/compiled.hpp"
#include "switch-models/report/report.hpp"
#include "switch-models/systems/all.hpp"

namespace {

using namespace ina;

struct Arguments {
  std::string system;
  std::uint64_t memory_bytes = 5'000'000;
  std::string chip = std::string(rmt::kTofino1.name);
  std::string policy{policies::name_of(policies::kDsaPolicy)};
  std::optional<std::uint32_t> values;  ///< per packet; empty: the system's default
  unsigned workers = 8;
  std::string compiled;
  std::string json;
};

policies::CollisionPolicy policy_of(const std::string& name) {
  return *std::ranges::find(policies::every_policy(), name, policies::name_of);
}

systems::DataPlane data_plane_of(const Arguments& arguments) {
  systems::Settings settings;
  if (arguments.values) {
    settings.of<systems::Switchml>().values = *arguments.values;
    settings.of<systems::Atp>().worker.values_per_packet = *arguments.values;
    settings.of<systems::Dsa>().worker.values_per_packet = *arguments.values;
  }
  settings.of<systems::Dsa>().program.policy = policy_of(arguments.policy);
  return settings.switches(cluster::system_called(arguments.system)).data_plane();
}

const rmt::Chip& chip_of(const std::string& name) {
  return **std::ranges::find_if(rmt::kChips,
                                [&](const rmt::Chip* chip) { return chip->name == name; });
}

std::vector<std::string> chip_names() {
  std::vector<std::string> names;
  for (const rmt::Chip* chip : rmt::kChips) names.emplace_back(chip->name);
  return names;
}

template <class Names>
std::vector<std::string> names_of(const Names& names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> names_with_aggregators() {
  std::vector<std::string> names;
  const auto add = [&names](const cluster::SystemTraits& traits) {
    if (traits.has_aggregators) names.emplace_back(traits.name);
  };
  std::apply([&add](const auto&... system) { (add(system.traits()), ...); }, systems::All());
  return names;
}

void run(const Arguments& arguments) {
  const files::RequestedFile json("--json", arguments.json, files::json_mark(report::kWriter));
  const rmt::Chip& chip = chip_of(arguments.chip);
  report::Report report =
      report::make(data_plane_of(arguments), arguments.memory_bytes, arguments.workers, chip);
  if (!arguments.compiled.empty()) {
    report.compiled = report::read_compiled(arguments.compiled, chip);
  }
  json.write(report::json_of(report) + '\n');
  files::print(report::text_of(report));
}

void add_report(CLI::App& app, Arguments& arguments) {
  CLI::App& report = *app.add_subcommand("report",
                                         "Places a data-plane program in the stages of a switch "
                                         "chip and prints the resources that the program needs");
  report.add_option("--system", arguments.system, "system whose program to place")
      ->required()
      ->check(CLI::IsMember(names_with_aggregators()));
  report
      .add_option("--memory", arguments.memory_bytes,
                  "memory for the values of aggregators, in bytes or with a unit")
      ->transform(fields::as_bytes({1, fields::kMaxBytes}))
      ->default_str("5MB");
  report.add_option("--chip", arguments.chip, "switch chip")
      ->check(CLI::IsMember(chip_names()))
      ->capture_default_str();
  report.add_option("--policy", arguments.policy, "collision policy of DSA")
      ->check(CLI::IsMember(names_of(policies::policy_names())))
      ->capture_default_str();
  report
      .add_option("--values", arguments.values,
                  "number of values in a packet (default: 32 with switchml, else 62)")
      ->transform(fields::whole_number({1, wire::kSwitchmlValues.back()}));
  report
      .add_option("--workers", arguments.workers,
                  "number of workers of a job, which determines the load of further passes")
      ->transform(fields::whole_number({2, wire::kMaxWorkersPerSwitch}))
      ->capture_default_str();
  report.add_option("--compiled", arguments.compiled,
                    "output folder of p4c-barefoot -g --verbose for the P4 program: also prints "
                    "the resources of the compiled program, next to those of the model");
  report.add_option("--json", arguments.json, "also write the content of the stages to this file");
  report.footer("./ina switch report --figure FILE.png also draws the stages.");
}

/// Refuses options that have no effect on this system, and numbers of values that it has not.
void check(const CLI::App& report, const Arguments& arguments) {
  const auto only = [&](const char* option, const char* system) {
    if (report.count(option) == 0 || arguments.system == system) return;
    throw CLI::ValidationError(
        option, std::string("is of ") + system + "; the system is " + arguments.system);
  };
  only("--policy", "dsa");
  if (!arguments.values) return;
  const bool is_switchml = arguments.system == cluster::Switchml::kTraits.name;
  if (is_switchml && std::ranges::count(wire::kSwitchmlValues, *arguments.values) == 0) {
    throw CLI::ValidationError("--values",
                               fmt::format("{}; allowed with switchml: {}", *arguments.values,
                                           fmt::join(wire::kSwitchmlValues, ", ")));
  }
  if (!is_switchml && *arguments.values > wire::kMostFragmentValues) {
    throw CLI::ValidationError("--values",
                               fmt::format("{}; allowed with {}: at most {}", *arguments.values,
                                           arguments.system, wire::kMostFragmentValues));
  }
}

/// Prints the reason and returns the exit status.
int ended_by(const std::exception& error, int status) {
  std::cerr << "ina: switch report: " << files::reason_of(error) << '\n';
  return status;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Resources that the data-plane programs need on a switch chip.", "ina switch");
  app.require_subcommand(1);
  Arguments arguments;
  add_report(app, arguments);
  try {
    app.parse(argc, argv);
    check(*app.get_subcommand("report"), arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return ended_by(error, exit_status::kWrongInput);
    app.exit(error);  // --help
    files::flush_standard_output();
    return 0;
  }
  run(arguments);
  files::flush_standard_output();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  files::survive_broken_pipes();
  try {
    return parse_and_run(argc, argv);
  } catch (const files::NotWritten& error) {
    return ended_by(error, exit_status::kWrongInput);
  } catch (const rmt::DoesNotFit& error) {
    return ended_by(error, exit_status::kWrongInput);
  } catch (const report::NotCompiled& error) {
    return ended_by(error, exit_status::kWrongInput);
  } catch (const std::exception& error) {
    return ended_by(error, exit_status::kEnvironmentError);
  }
}
