// SPDX-License-Identifier: BSD-3-Clause
#include "tests/campaigns/fault_plan.hpp"
#include "hw/cluster/systems/all.hpp"
#include "hw/protocol/wire/codec.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ina::campaigns {

namespace {

using faults::FrameClass;
using std::chrono::microseconds;
using testing::Random;
using testing::SystemId;

constexpr std::uint32_t kRunsWithoutFaultsPercent = 5;
constexpr std::uint32_t kHostStagePercent = 30;
constexpr std::uint32_t kHostPresetPercent = 20;
constexpr std::uint32_t kMostDrawnCores = 8;

double draw_rate(Random& random) {
  return random.one_of({1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.3});
}

/// Between 10 us and 50 ms. Each order of magnitude is equally likely.
Time draw_length(Random& random) {
  const Time unit = microseconds(random.one_of({10, 100, 1000, 5000}));
  return random.between(unit, 10 * unit);
}

/// One class of frames, or all.
faults::FrameClasses draw_classes(SystemId system, Random& random) {
  if (random.percent(40)) return faults::kEveryFrameClass;
  const cluster::SystemTraits& traits = cluster::traits_of(system);
  std::vector<FrameClass> classes = {FrameClass::gradient, FrameClass::result};
  const auto add = [&](std::initializer_list<FrameClass> more) {
    classes.insert(classes.end(), more);
  };
  if ((wire::known_flags(traits.format) & flag::partial) != 0) add({FrameClass::partial});
  if (traits.has_servers) add({FrameClass::fragment_request, FrameClass::release});
  if (traits.has_reminders) add({FrameClass::reminder, FrameClass::notification});
  return only(random.one_of(std::span<const FrameClass>(classes)));
}

/// One kind of fault, on some links.
template <class SetRates>
LinkFault draw_link_fault(SystemId system, const Crew& crew, Random& random, SetRates&& set_rates) {
  LinkFault fault;
  fault.config.frames = draw_classes(system, random);
  if (random.percent(30)) fault.config.from = draw_length(random);
  if (random.percent(30)) fault.config.until = fault.config.from + draw_length(random);
  if (random.percent(50)) fault.host = static_cast<HostId>(random.between(0, crew.hosts - 1));
  fault.up = random.percent(70);
  fault.down = !fault.up || random.percent(60);
  set_rates(fault.config);
  return fault;
}

void draw_link_faults(SystemId system, const Crew& crew, Random& random, FaultPlan& plan) {
  using Config = faults::LinkFaults::Config;
  const auto draw = [&](std::uint32_t percent, auto&& set_rates) {
    if (random.percent(percent)) {
      plan.links.push_back(draw_link_fault(system, crew, random, set_rates));
    }
  };
  draw(50, [&](Config& config) { config.loss = draw_rate(random); });
  draw(20, [&](Config& config) {
    config.burst.start = random.one_of({0.001, 0.01, 0.05});
    config.burst.end = random.one_of({0.05, 0.2, 0.5});
    config.burst.loss = random.one_of({0.5, 0.9, 1.0});
  });
  draw(25, [&](Config& config) { config.corruption = draw_rate(random); });
  draw(25, [&](Config& config) { config.duplication = draw_rate(random); });
  draw(25, [&](Config& config) {
    config.reordering = draw_rate(random);
    config.reordering_delay = draw_length(random);
  });
}

NodeStrike draw_node_fault(SystemId system, const Crew& crew, Random& random) {
  NodeStrike fault;
  do {
    fault.kind = static_cast<faults::NodeFault>(
        random.between(0, static_cast<std::uint32_t>(faults::NodeFault::job_is_killed)));
  } while (faults::strikes_server(fault.kind) && !cluster::traits_of(system).has_servers);
  fault.at_frame = random.between(1, static_cast<std::uint32_t>(crew.fragments));
  fault.length = draw_length(random);
  fault.job = random.between(0, static_cast<std::uint32_t>(crew.workers.size() - 1));
  fault.rank = static_cast<std::uint16_t>(random.between(0, crew.workers[fault.job] - 1U));
  return fault;
}

}  // namespace

bool FaultPlan::copies_may_be_late() const {
  return std::any_of(links.begin(), links.end(), [](const LinkFault& fault) {
    return fault.config.duplication > 0 || fault.config.reordering > 0;
  });
}

FaultPlan draw_fault_plan(SystemId system, const Crew& crew, Random& random) {
  FaultPlan plan;
  if (random.percent(kRunsWithoutFaultsPercent)) return plan;
  draw_link_faults(system, crew, random, plan);
  const std::uint32_t node_faults = random.one_of({0U, 0U, 1U, 1U, 2U, 3U});
  for (std::uint32_t i = 0; i < node_faults; ++i) {
    plan.nodes.push_back(draw_node_fault(system, crew, random));
  }
  std::stable_sort(
      plan.nodes.begin(), plan.nodes.end(),
      [](const NodeStrike& a, const NodeStrike& b) { return a.at_frame < b.at_frame; });
  return plan;
}

cluster::HostStage::Config draw_host_stage(Random& random) {
  using std::chrono::nanoseconds;
  if (!random.percent(kHostStagePercent)) return {};
  cluster::HostStage::Config stage;
  if (random.percent(kHostPresetPercent)) {
    stage = random.one_of(std::span(cluster::kHostPresets).subspan(1)).config;  // skips "none"
  } else {
    stage.per_packet = random.between(Time(1), nanoseconds(random.one_of({20, 200, 2000})));
    stage.per_byte = random.between(Time(0), nanoseconds(random.one_of({0, 1, 10})));
    stage.header_bytes = random.one_of({0U, 58U});
    stage.cores = random.between(1, kMostDrawnCores);
  }
  stage.spread = random.one_of({0.0, 0.1, 1.0});
  stage.host_spread = random.one_of({0.0, 0.1, 0.9});
  stage.queue = random.one_of({1U, 2U, 8U, 64U, stage.queue});
  stage.reorder = random.percent(30);
  return stage;
}

std::string in_words(const LinkFault& fault, const std::string& host) {
  const faults::LinkFaults::Config& config = fault.config;
  const char* const way = fault.up && fault.down ? "from and to" : fault.up ? "from" : "to";
  std::string text = fmt::format("{} {}:", way, fault.host ? host : "every host");
  const auto rate = [&](const char* what, double value) {
    if (value > 0) text += fmt::format(" {} {}", what, value);
  };
  rate("loss", config.loss);
  if (config.burst.start > 0) {
    text += fmt::format(" bursts (start {}, end {}, loss {})", config.burst.start, config.burst.end,
                        config.burst.loss);
  }
  rate("corruption", config.corruption);
  rate("duplication", config.duplication);
  rate("reordering", config.reordering);
  if (config.frames != faults::kEveryFrameClass) {
    text += " of";
    for (std::size_t i = 0; i < faults::kFrameClassNames.size(); ++i) {
      if ((config.frames >> i & 1) != 0) text += fmt::format(" {}", faults::kFrameClassNames[i]);
    }
  }
  if (config.from > Time::zero()) text += ", from " + testing::in_words(config.from);
  if (config.until != kNever) text += ", until " + testing::in_words(config.until);
  return text;
}

std::string in_words(const NodeStrike& fault) {
  return fmt::format("{}: job {}, rank {}, at frame {}, for {}", faults::name_of(fault.kind),
                     fault.job, fault.rank, fault.at_frame, testing::in_words(fault.length));
}

std::string in_words(const cluster::HostStage::Config& stage) {
  return fmt::format(
      "take {} a packet and {} a byte behind {}, spread by {}, among hosts by {}; {} cores, queue "
      "of {}{}",
      testing::in_words(stage.per_packet), testing::in_words(stage.per_byte), stage.header_bytes,
      stage.spread, stage.host_spread, stage.cores, stage.queue, stage.reorder ? ", reorder" : "");
}

}  // namespace ina::campaigns
