// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/explorer.hpp"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <utility>

#include "tests/exploration/fingerprint.hpp"

namespace ina::exploration {

namespace {

/// How a state was first reached.
struct Origin {
  std::uint32_t before;
  Action action;
};

constexpr std::uint32_t kNone = UINT32_MAX;

using BudgetLeft = std::array<std::uint8_t, World::kBudgetBytes>;
/// What was left when a state was reached, in a list.
struct BudgetsLeft {
  BudgetLeft left;
  std::uint32_t next;
};

/// Saved states, one behind the other.
class Level {
 public:
  void push(std::uint32_t id, const Bytes& state) {
    begins_.push_back({id, bytes_.size()});
    bytes_.insert(bytes_.end(), state.begin(), state.end());
  }
  std::size_t size() const { return begins_.size(); }
  std::uint32_t id(std::size_t i) const { return begins_[i].first; }
  std::span<const std::byte> state(std::size_t i) const {
    const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1].second : bytes_.size();
    return std::span(bytes_).subspan(begins_[i].second, end - begins_[i].second);
  }
  void clear() {
    bytes_.clear();
    begins_.clear();
  }

 private:
  Bytes bytes_;
  std::vector<std::pair<std::uint32_t, std::size_t>> begins_;
};

class Explorer {
 public:
  Explorer(const Configuration& configuration, const MakeSystem& make_system,
           std::uint64_t most_states)
      : world_(configuration, make_system), most_states_(most_states) {}

  Report run() {
    world_.save(scratch_);
    reach({0, {}});
    while (next_.size() > 0 && !report_.finding && origins_.size() < most_states_) {
      std::swap(level_, next_);
      next_.clear();
      ++report_.depth;
      for (std::size_t i = 0; i < level_.size() && !report_.finding; ++i) expand(i);
    }
    report_.states = origins_.size();
    report_.complete = next_.size() == 0;
    return std::move(report_);
  }

 private:
  void expand(std::size_t i) {
    world_.restore(level_.state(i));
    world_.list_actions(actions_);
    for (std::size_t a = 0; a < actions_.size(); ++a) {
      if (a > 0) world_.restore(level_.state(i));
      const bool tossed = try_action(level_.id(i), actions_[a]);
      if (tossed && !actions_[a].heads) {
        actions_.push_back(actions_[a]);
        actions_.back().heads = true;
      }
      if (report_.finding) return;
    }
  }

  bool try_action(std::uint32_t before, const Action& action) {
    ++report_.steps;
    const bool tossed = world_.apply(action);
    if (!world_.failure().empty()) {
      report_.finding = Finding{world_.failure(), schedule_to(before), 0};
      report_.finding->schedule.push_back(action);
      report_.finding->fair_from = report_.finding->schedule.size();
    } else {
      world_.save(scratch_);
      reach({before, action});
    }
    return tossed;
  }

  static std::span<const std::byte> without_budget(const Bytes& state) {
    return std::span(state).subspan(World::kBudgetBytes);
  }

  /// Of the world's state without its budget, the same for all that renaming workers makes of it.
  Fingerprint common_fingerprint() {
    Fingerprint least = fingerprint(without_budget(scratch_));
    for (std::size_t i = 1; i < world_.renamings().size(); ++i) {
      world_.save_renamed(renamed_, world_.renamings()[i]);
      least = std::min(least, fingerprint(without_budget(renamed_)));
    }
    return least;
  }

  /// The state in scratch_, which the world is in.
  void reach(const Origin& origin) {
    std::uint32_t& budgets = visited_.try_emplace(common_fingerprint(), kNone).first->second;
    BudgetLeft left;
    std::memcpy(left.data(), scratch_.data(), left.size());
    if (!add_budget(budgets, left)) return;
    const auto id = static_cast<std::uint32_t>(origins_.size());
    origins_.push_back(origin);
    next_.push(id, scratch_);
    require_progress(id);
  }

  /// False if the state was reached with as much left of everything before: what can follow now
  /// could follow then.
  bool add_budget(std::uint32_t& list, const BudgetLeft& left) {
    for (std::uint32_t i = list; i != kNone; i = budgets_[i].next) {
      const BudgetLeft& before = budgets_[i].left;
      if (std::equal(left.begin(), left.end(), before.begin(), std::less_equal<>())) return false;
    }
    budgets_.push_back({left, list});
    list = static_cast<std::uint32_t>(budgets_.size() - 1);
    return true;
  }

  /// From here the fair schedule must end with everything done and everything empty.
  void require_progress(std::uint32_t id) {
    fair_.clear();
    for (;;) {
      const auto [known, inserted] =
          completes_.try_emplace(fingerprint(without_budget(scratch_)), id);
      if (!inserted && known->second == id) return fair_failure(id, kCircles);
      if (!inserted) return;
      world_.restore(scratch_);
      world_.list_fair_step(fair_step_);
      if (fair_step_.empty()) break;
      for (const Action& action : fair_step_) {
        fair_.push_back(action);
        world_.apply(action);
        if (!world_.failure().empty()) return fair_failure(id, world_.failure());
      }
      world_.save(scratch_);
    }
    if (const std::string wrong = world_.verdict_at_end(); !wrong.empty()) fair_failure(id, wrong);
  }

  void fair_failure(std::uint32_t id, const std::string& failure) {
    report_.finding = Finding{failure, schedule_to(id), 0};
    Finding& finding = *report_.finding;
    finding.fair_from = finding.schedule.size();
    finding.schedule.insert(finding.schedule.end(), fair_.begin(), fair_.end());
  }

  std::vector<Action> schedule_to(std::uint32_t id) const {
    std::vector<Action> schedule;
    for (; id != 0; id = origins_[id].before) schedule.push_back(origins_[id].action);
    std::reverse(schedule.begin(), schedule.end());
    return schedule;
  }

  World world_;
  std::uint64_t most_states_;
  Report report_;
  boost::unordered_flat_map<Fingerprint, std::uint32_t, FingerprintHash> visited_;
  // From where the fair schedule came to a state.
  boost::unordered_flat_map<Fingerprint, std::uint32_t, FingerprintHash> completes_;
  std::vector<BudgetsLeft> budgets_;
  std::vector<Origin> origins_;
  Level level_;
  Level next_;
  Bytes scratch_;
  Bytes renamed_;
  std::vector<Action> actions_;
  std::vector<Action> fair_;
  std::vector<Action> fair_step_;
};

}  // namespace

Report explore(const Configuration& configuration, const MakeSystem& make_system,
               std::uint64_t most_states) {
  return Explorer(configuration, make_system, most_states).run();
}

}  // namespace ina::exploration
