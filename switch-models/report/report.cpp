// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ina::report {
namespace {

/// Lists the names of a stage: "task, values x4".
std::string names_of(const rmt::Placement::Stage& stage) {
  std::map<std::string, unsigned> counts;
  for (const std::string& name : stage.names) ++counts[name];
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name,
                        count == 1 ? "" : fmt::format(" x{}", count));
  }
  return text;
}

/// Use of a resource in a stage, by the model and (if given) by the compiler, and the budget:
/// "1/4", "1 2/4".
std::string use_text(const Report& report, const rmt::StageResource& resource, std::size_t stage) {
  const unsigned placed = report.placement.stages()[stage].use.*resource.used;
  const unsigned budget = report.chip->*resource.budget;
  if (report.compiled.empty()) return fmt::format("{}/{}", placed, budget);
  return fmt::format("{} {}/{}", placed, report.compiled[stage].*resource.used, budget);
}

std::string stages_text(const Report& report) {
  std::string text = report.compiled.empty()
                         ? ""
                         : "by the model, by the compiler of the P4 program / in the stage\n";
  text += fmt::format("{:>5}", "stage");
  for (const rmt::StageResource& resource : rmt::kStageResources) {
    text += fmt::format("  {:>14}", resource.name);
  }
  text += "  holds\n";
  for (std::size_t stage = 0; stage < report.chip->stages; ++stage) {
    text += fmt::format("{:>5}", stage);
    for (const rmt::StageResource& resource : rmt::kStageResources) {
      text += fmt::format("  {:>14}", use_text(report, resource, stage));
    }
    const std::string names = names_of(report.placement.stages()[stage]);
    text += names.empty() ? "\n" : fmt::format("  {}\n", names);
  }
  return text;
}

std::string outcome_text(const systems::Outcome& outcome) {
  const rmt::Verdict& verdict = outcome.verdict;
  std::string text =
      fmt::format("  {:<18}{}", outcome.of + ":", 1 + verdict.resubmits + verdict.recirculations);
  if (verdict.resubmits != 0) text += fmt::format("  resubmitted {} x", verdict.resubmits);
  if (verdict.recirculations != 0) {
    text += fmt::format("  recirculated {} x, {} B in all", verdict.recirculations,
                        verdict.recirculated_bytes);
  }
  return text + '\n';
}

unsigned ports_of_pipe(const rmt::Chip& chip) { return chip.ports / chip.pipes; }

std::string load_text(const Report& report, const PassLoad& load, const char* whom) {
  return fmt::format(
      "with {} {} and {} ports of 100 Gbps full of frames of {} B:\n"
      "  passes of a packet on average   {:.3f}, {:.0f} % of what the pipelines can do\n"
      "  resubmitted                     {:.1f} % of the bytes that arrive\n"
      "  recirculated                    {:.1f} % of the bytes that arrive: hosts may fill {} of a "
      "pipe's {} ports, or {} with {} in loopback\n",
      report.workers, whom, report.chip->ports, report.plane.frame_bytes, load.passes_per_packet,
      100 * load.pipeline_share, 100 * load.resubmitted_share, 100 * load.recirculated_share,
      load.hosts_without_loopback, ports_of_pipe(*report.chip),
      ports_of_pipe(*report.chip) - load.looped_ports, load.looped_ports);
}

std::string passes_text(const Report& report) {
  const systems::DataPlane& plane = report.plane;
  std::string text =
      "passes of a packet that\n" + outcome_text(plane.absorbed) + outcome_text(plane.completing);
  for (const systems::Outcome& outcome : plane.others) text += outcome_text(outcome);
  text += load_text(report, load_of(plane, report.workers, *report.chip), "workers");
  text += "over several switches each holds the same; at a leaf, passes of a packet that\n" +
          outcome_text({"completes a sum", plane.completing.verdict}) +
          outcome_text(plane.result_at_leaf);
  text += load_text(report, load_of_leaf(plane, report.workers, *report.chip),
                    "workers below, a result for each task,");
  return text + "at the root, to which a branch is what a worker is to one switch, as there\n";
}

std::string title_of(const Report& report) {
  return fmt::format("{} on {}: {} aggregators of {} B, {} values in a packet of {} B",
                     report.plane.name, report.chip->name, report.aggregators,
                     report.plane.aggregator_bytes, report.plane.values, report.plane.frame_bytes);
}

/// Number of a task's packets that get a verdict.
struct Arrivals {
  double count;
  rmt::Verdict verdict;
};

PassLoad load_of_arrivals(const systems::DataPlane& plane, const std::vector<Arrivals>& arrivals,
                          const rmt::Chip& chip) {
  constexpr double kPortBytesPerSecond = 100e9 / 8;
  double packets = 0;
  double resubmits = 0;
  double recirculations = 0;
  double recirculated_bytes = 0;
  for (const auto& [count, verdict] : arrivals) {
    packets += count;
    resubmits += count * verdict.resubmits;
    recirculations += count * verdict.recirculations;
    recirculated_bytes += count * verdict.recirculated_bytes;
  }
  const double passes = 1 + (resubmits + recirculations) / packets;
  const double packets_per_second = chip.ports * kPortBytesPerSecond / plane.frame_bytes;
  const double recirculated = recirculated_bytes / packets / plane.frame_bytes;
  const double own_ports = chip.recirculation_gbps / 100.0;  // as fast as this many front ports
  const unsigned ports = ports_of_pipe(chip);
  const auto carries = [&](unsigned looped, unsigned hosts) {
    return hosts * recirculated <= own_ports + looped;
  };
  unsigned hosts = ports;
  while (!carries(0, hosts)) --hosts;
  unsigned looped = 0;
  while (!carries(looped, ports - looped)) ++looped;
  return {.passes_per_packet = passes,
          .pipeline_share = passes * packets_per_second / chip.packets_per_second,
          .resubmitted_share = resubmits / packets,
          .recirculated_share = recirculated,
          .hosts_without_loopback = hosts,
          .looped_ports = looped};
}

}  // namespace

PassLoad load_of(const systems::DataPlane& plane, unsigned workers, const rmt::Chip& chip) {
  return load_of_arrivals(
      plane, {{workers - 1.0, plane.absorbed.verdict}, {1.0, plane.completing.verdict}}, chip);
}

PassLoad load_of_leaf(const systems::DataPlane& plane, unsigned workers, const rmt::Chip& chip) {
  return load_of_arrivals(plane,
                          {{workers - 1.0, plane.absorbed.verdict},
                           {1.0, plane.completing.verdict},
                           {1.0, plane.result_at_leaf.verdict}},
                          chip);
}

rmt::Placement placement_of(const systems::DataPlane& plane, std::size_t aggregators,
                            const rmt::Chip& chip) {
  try {
    return {plane.declare(aggregators), chip};
  } catch (const rmt::DoesNotFit& why) {
    const std::size_t most = rmt::most_cells(plane.declare, chip);
    if (most == 0) {
      throw rmt::DoesNotFit(fmt::format(
          "{} with {} values in a packet does not fit {}: {}; allowed: another program, for no "
          "memory makes it fit",
          plane.name, plane.values, chip.name, why.what()));
    }
    throw TooManyAggregators(
        fmt::format("{} does not fit {} with {} aggregators: {}; allowed: at most {} aggregators",
                    plane.name, chip.name, aggregators, why.what(), most),
        most);
  }
}

Report make(const systems::DataPlane& plane, std::uint64_t memory_bytes, unsigned workers,
            const rmt::Chip& chip) {
  const std::size_t aggregators = memory_bytes / plane.aggregator_bytes;
  const std::size_t most = rmt::most_cells(plane.declare, chip);
  const std::uint64_t most_bytes = most * plane.aggregator_bytes;
  if (aggregators == 0 && most > 0) {
    throw rmt::DoesNotFit(
        fmt::format("--memory: {} bytes hold no aggregator of {}; allowed: {} to {}", memory_bytes,
                    plane.name, plane.aggregator_bytes, most_bytes));
  }
  const auto place = [&] {
    try {
      return placement_of(plane, aggregators, chip);
    } catch (const TooManyAggregators& why) {
      throw rmt::DoesNotFit(fmt::format("{}, --memory {}", why.what(), most_bytes));
    }
  };
  return {.plane = plane,
          .chip = &chip,
          .memory_bytes = memory_bytes,
          .workers = workers,
          .aggregators = aggregators,
          .most_aggregators = most,
          .placement = place()};
}

std::string text_of(const Report& report) {
  const rmt::Declaration program = report.plane.declare(report.aggregators);
  return fmt::format(
      "{}\n\n{}\nat most: {} aggregators, {:.2f} MB\n"
      "multicast groups: {} of {}; mirror sessions: {} of {}\n{}",
      title_of(report), stages_text(report), report.most_aggregators,
      1e-6 * static_cast<double>(report.most_aggregators * report.plane.aggregator_bytes),
      program.multicast_groups, report.chip->multicast_groups, program.mirror_sessions,
      report.chip->mirror_sessions, passes_text(report));
}

std::string json_of(const Report& report) {
  nlohmann::ordered_json resources;
  for (const rmt::StageResource& resource : rmt::kStageResources) {
    nlohmann::ordered_json used;
    for (const rmt::Placement::Stage& stage : report.placement.stages()) {
      used.push_back(stage.use.*resource.used);
    }
    resources.push_back(
        {{"name", resource.name}, {"budget", report.chip->*resource.budget}, {"used", used}});
    for (const rmt::StageUse& stage : report.compiled) {
      resources.back()["compiled"].push_back(stage.*resource.used);
    }
  }
  return nlohmann::ordered_json{
      {"written_by", kWriter}, {"title", title_of(report)}, {"resources", resources}}
      .dump(2);
}

}  // namespace ina::report
