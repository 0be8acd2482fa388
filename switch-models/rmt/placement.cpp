// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/rmt/placement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

namespace ina::rmt {
namespace {

/// An array or a table that is to be placed.
struct Item {
  std::string name;
  unsigned count = 1;
  StageUse use;
  std::set<std::string> behind = {};
  std::optional<unsigned> last_stage = {};
};

std::vector<Item> items_of(const Declaration& program) {
  std::vector<Item> items;
  for (const TableDeclaration& table : program.tables) {
    items.push_back({.name = table.name, .use = use_of(table)});
  }
  for (const RegisterDeclaration& array : program.registers) {
    items.push_back({.name = array.name, .count = array.count, .use = use_of(array)});
  }
  for (const PassDeclaration& pass : program.passes) {
    for (const Step& step : pass.steps) {
      Item& item = *std::ranges::find(items, step.of, &Item::name);
      item.behind.insert(step.needs.begin(), step.needs.end());
      if (!step.index_from.empty()) item.behind.insert(step.index_from);
    }
  }
  return items;
}

/// The first stage after all items that this item needs. Empty if one of those items is not placed
/// yet.
std::optional<unsigned> earliest_of(const Item& item, const std::vector<Item>& items) {
  unsigned earliest = 0;
  for (const std::string& name : item.behind) {
    const std::optional<unsigned> before = std::ranges::find(items, name, &Item::name)->last_stage;
    if (!before) return std::nullopt;
    earliest = std::max(earliest, *before + 1);
  }
  return earliest;
}

/// The first resource of which the stage has too little. Null if the stage has enough.
const StageResource* lacking(const StageUse& more, const StageUse& stage, const Chip& chip) {
  const auto* const found = std::ranges::find_if(kStageResources, [&](const StageResource& r) {
    return stage.*r.used + more.*r.used > chip.*r.budget;
  });
  return found == kStageResources.end() ? nullptr : found;
}

void add(const StageUse& more, StageUse& stage) {
  for (const StageResource& resource : kStageResources) {
    stage.*resource.used += more.*resource.used;
  }
}

/// Resources that one more array of the item takes in a stage.
StageUse use_of(const Item& item, const Placement::Stage& stage) {
  StageUse use = item.use;
  if (std::ranges::find(stage.names, item.name) != stage.names.end()) {
    use.hash_distribution_units = 0;
  }
  return use;
}

/// Places all arrays of the item, from stage `at` on.
void place(Item& item, unsigned at, std::vector<Placement::Stage>& stages, const Chip& chip) {
  const unsigned earliest = at;
  const StageResource* lacks = nullptr;
  for (unsigned placed = 0; placed < item.count; ++placed) {
    for (; at < chip.stages; ++at) {
      const StageResource* const here = lacking(use_of(item, stages[at]), stages[at].use, chip);
      if (here == nullptr) break;
      lacks = here;
    }
    if (at == chip.stages && lacks != nullptr) {
      throw DoesNotFit(fmt::format("{}, {} of {}: stages {} to {} of {} have no {} left", item.name,
                                   placed + 1, item.count, earliest, chip.stages - 1, chip.name,
                                   lacks->name));
    }
    if (at >= chip.stages) {
      throw DoesNotFit(fmt::format("{} has to stand in stage {}; the last one of {} is {}",
                                   item.name, at, chip.name, chip.stages - 1));
    }
    add(use_of(item, stages[at]), stages[at].use);
    stages[at].names.push_back(item.name);
  }
  item.last_stage = at;
}

}  // namespace

Placement::Placement(const Declaration& program, const Chip& chip)
    : stages_(chip.stages), passes_(program.passes) {
  check(program, chip);
  std::vector<Item> items = items_of(program);
  for (std::size_t left = items.size(); left > 0; --left) {
    std::optional<unsigned> earliest;
    const auto next = std::ranges::find_if(items, [&](const Item& item) {
      if (item.last_stage) return false;
      earliest = earliest_of(item, items);
      return earliest.has_value();
    });
    if (next == items.end()) {
      const auto& stuck = *std::ranges::find_if(items, [](const Item& i) { return !i.last_stage; });
      throw DoesNotFit(stuck.name +
                       " is needed earlier in one pass and later in another than what it needs");
    }
    place(*next, *earliest, stages_, chip);
  }
}

StageSpan Placement::span(std::string_view array) const {
  const auto is_part = [array](std::string_view name) {
    return name.starts_with(array) && (name.size() == array.size() || name[array.size()] == '.');
  };
  const auto holds = [&](const Stage& stage) { return std::ranges::any_of(stage.names, is_part); };
  StageSpan span{.passes = 0};
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const bool touches = std::ranges::any_of(passes_[i].steps, is_part, &Step::of);
    if (touches) span.passes |= std::uint64_t{1} << i;
  }
  const auto first = std::ranges::find_if(stages_, holds);
  if (first == stages_.end()) return span;
  const auto last = std::find_if(stages_.rbegin(), stages_.rend(), holds);
  span.first = static_cast<unsigned>(first - stages_.begin());
  span.last = static_cast<unsigned>(stages_.rend() - last) - 1;
  return span;
}

}  // namespace ina::rmt
