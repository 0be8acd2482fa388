// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/explorer.hpp"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
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
/// Linked list of the budgets that were left when a state was reached.
struct BudgetsLeft {
  BudgetLeft left;
  std::uint32_t next;
};

/// FIFO of saved states. It releases the memory of states that were taken, because the size of the
/// queue decides how far an exploration gets.
class Queue {
 public:
  void push(std::uint32_t id, const Bytes& state) {
    const auto size = static_cast<std::uint32_t>(state.size());
    const std::size_t room = sizeof id + sizeof size + state.size();
    if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < room) {
      chunks_.emplace_back().reserve(std::max(kChunkBytes, room));
    }
    append(&id, sizeof id);
    append(&size, sizeof size);
    append(state.data(), state.size());
    ++size_;
  }
  std::uint32_t pop(Bytes& state) {
    if (taken_ == chunks_.front().size()) {
      chunks_.pop_front();
      taken_ = 0;
    }
    std::uint32_t id = 0;
    std::uint32_t size = 0;
    take(&id, sizeof id);
    take(&size, sizeof size);
    state.resize(size);
    take(state.data(), size);
    --size_;
    return id;
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return chunks_.size() * kChunkBytes; }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 22;

  void append(const void* from, std::size_t size) {
    const auto* const bytes = static_cast<const std::byte*>(from);
    chunks_.back().insert(chunks_.back().end(), bytes, bytes + size);
  }
  void take(void* to, std::size_t size) {
    std::memcpy(to, chunks_.front().data() + taken_, size);
    taken_ += size;
  }

  std::deque<Bytes> chunks_;
  std::size_t taken_ = 0;  // index of the first one left
  std::size_t size_ = 0;
};

class Explorer {
 public:
  Explorer(const Configuration& configuration, const MakeSystem& make_system, const Limits& limits)
      : world_(configuration, make_system), limits_(limits) {}

  Report run() {
    world_.save(scratch_);
    reach({0, {}});
    while (waiting_.size() > 0 && !report_.finding && !is_at_a_limit()) {
      if (in_this_depth_ == 0) {
        in_this_depth_ = waiting_.size();
        ++report_.depth;
      }
      --in_this_depth_;
      expand(waiting_.pop(state_));
    }
    report_.states = origins_.size();
    report_.complete = waiting_.size() == 0 && !report_.finding;
    return std::move(report_);
  }

 private:
  bool is_at_a_limit() const {
    return origins_.size() >= limits_.states || bytes() >= limits_.bytes;
  }

  std::size_t bytes() const {
    const std::size_t tables = visited_.bucket_count() + completes_.bucket_count();
    return waiting_.bytes() + tables * sizeof(std::pair<Fingerprint, std::uint32_t>) +
           budgets_.capacity() * sizeof(BudgetsLeft) + origins_.capacity() * sizeof(Origin);
  }

  void expand(std::uint32_t id) {
    world_.restore(state_);
    world_.list_actions(actions_);
    for (std::size_t a = 0; a < actions_.size(); ++a) {
      if (a > 0) world_.restore(state_);
      const bool tossed = try_action(id, actions_[a]);
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

  /// Fingerprint of the world's state without its budget. Renaming the workers does not change it.
  Fingerprint common_fingerprint() {
    Fingerprint least = fingerprint(without_budget(scratch_));
    for (std::size_t i = 1; i < world_.renamings().size(); ++i) {
      world_.save_renamed(renamed_, world_.renamings()[i]);
      least = std::min(least, fingerprint(without_budget(renamed_)));
    }
    return least;
  }

  /// Records the world's current state, which is in scratch_.
  void reach(const Origin& origin) {
    std::uint32_t& budgets = visited_.try_emplace(common_fingerprint(), kNone).first->second;
    BudgetLeft left;
    std::memcpy(left.data(), scratch_.data(), left.size());
    if (!add_budget(budgets, left)) return;
    const auto id = static_cast<std::uint32_t>(origins_.size());
    origins_.push_back(origin);
    waiting_.push(id, scratch_);
    require_progress(id);
  }

  /// Returns false if the state was reached before with at least as much left of every budget:
  /// everything that can follow now could follow then.
  bool add_budget(std::uint32_t& list, const BudgetLeft& left) {
    for (std::uint32_t i = list; i != kNone; i = budgets_[i].next) {
      const BudgetLeft& before = budgets_[i].left;
      if (std::equal(left.begin(), left.end(), before.begin(), std::less_equal<>())) return false;
    }
    budgets_.push_back({left, list});
    list = static_cast<std::uint32_t>(budgets_.size() - 1);
    return true;
  }

  /// Reports a finding unless the fair schedule from here ends with all jobs done and all registers
  /// empty.
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
  Limits limits_;
  Report report_;
  boost::unordered_flat_map<Fingerprint, std::uint32_t, FingerprintHash> visited_;
  // For each state that a fair schedule reached: the state where this schedule began.
  boost::unordered_flat_map<Fingerprint, std::uint32_t, FingerprintHash> completes_;
  std::vector<BudgetsLeft> budgets_;
  std::vector<Origin> origins_;
  Queue waiting_;
  std::size_t in_this_depth_ = 0;  // number of those that wait
  Bytes state_;                    // the state that is being expanded
  Bytes scratch_;
  Bytes renamed_;
  std::vector<Action> actions_;
  std::vector<Action> fair_;
  std::vector<Action> fair_step_;
};

}  // namespace

Report explore(const Configuration& configuration, const MakeSystem& make_system,
               const Limits& limits) {
  return Explorer(configuration, make_system, limits).run();
}

}  // namespace ina::exploration
