// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/replay.hpp"

#include <algorithm>
#include <istream>
#include <ostream>
#include <stdexcept>

namespace ina::exploration {

namespace {

constexpr std::string_view kConfiguration = "configuration ";
constexpr std::string_view kMutant = "mutant ";
constexpr std::string_view kFailure = "failure ";
constexpr std::string_view kFair = "then nothing is lost and every timer fires";

Bytes without_budget(const Bytes& state) {
  return Bytes(state.begin() + World::kBudgetBytes, state.end());
}

void print(std::vector<std::string>& log, std::ostream& out) {
  for (const std::string& line : log) out << "  " << line << '\n';
  log.clear();
}

}  // namespace

void write_replay(std::ostream& out, const Replay& replay) {
  out << kConfiguration << replay.configuration << '\n'
      << kFailure << replay.finding.failure << '\n';
  if (!replay.mutant.empty()) out << kMutant << replay.mutant << '\n';
  const std::vector<Action>& schedule = replay.finding.schedule;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (i == replay.finding.fair_from) out << kFair << '\n';
    out << to_text(schedule[i]) << '\n';
  }
}

Replay read_replay(std::istream& in) {
  Replay replay;
  bool fair = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    while (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with(kConfiguration)) {
      replay.configuration = line.substr(kConfiguration.size());
    } else if (line.starts_with(kMutant)) {
      replay.mutant = line.substr(kMutant.size());
    } else if (line.starts_with(kFailure)) {
      replay.finding.failure = line.substr(kFailure.size());
    } else if (line == kFair) {
      replay.finding.fair_from = replay.finding.schedule.size();
      fair = true;
    } else {
      try {
        replay.finding.schedule.push_back(action_of_text(line));
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("line " + std::to_string(number) + ": " + error.what());
      }
    }
  }
  if (replay.configuration.empty()) {
    throw std::invalid_argument("no line begins with '" + std::string(kConfiguration) + "'");
  }
  if (!fair) replay.finding.fair_from = replay.finding.schedule.size();
  return replay;
}

std::string step_through(const Replay& replay, const MakeSystem& make_system, std::ostream& out) {
  World world(parse_configuration(replay.configuration), make_system);
  std::vector<std::string> log;
  world.log_to(&log);
  Bytes state;
  std::vector<Bytes> fair;
  const std::vector<Action>& schedule = replay.finding.schedule;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    world.save(state);
    world.restore(state);
    if (i >= replay.finding.fair_from) fair.push_back(without_budget(state));
    if (i == replay.finding.fair_from) out << kFair << '\n';
    out << i + 1 << ": " << to_text(schedule[i]) << '\n';
    if (!world.possible(schedule[i])) {
      throw std::invalid_argument("step " + std::to_string(i + 1) + ", '" + to_text(schedule[i]) +
                                  "', is not possible here");
    }
    const bool free = i >= replay.finding.fair_from && is_timer(schedule[i].kind);
    if (!free && !world.affordable(schedule[i])) {
      throw std::invalid_argument("step " + std::to_string(i + 1) + ", '" + to_text(schedule[i]) +
                                  "', is more than " + replay.configuration + " allows");
    }
    world.apply(schedule[i]);
    print(log, out);
    if (!world.failure().empty()) return world.failure();
  }
  world.save(state);
  if (std::find(fair.begin(), fair.end(), without_budget(state)) != fair.end()) return kCircles;
  std::vector<Action> more;
  world.list_fair_step(more);
  if (!more.empty()) return "";
  const std::string verdict = world.verdict_at_end();
  print(log, out);
  return verdict;
}

}  // namespace ina::exploration
