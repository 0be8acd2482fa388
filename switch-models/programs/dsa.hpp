// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/prefetchable.hpp"
#include "switch-models/policies/decision.hpp"
#include "switch-models/programs/answered_by.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/levels.hpp"
#include "switch-models/programs/pass_by_pass.hpp"
#include "switch-models/programs/second_half.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/programs/task_id.hpp"
#include "switch-models/programs/value_passes.hpp"
#include "switch-models/rmt/register_array.hpp"

namespace ina::programs {

/// DSA III to VI. Jobs share the aggregators by hashing. When two tasks collide, a policy decides
/// which one holds the aggregator; the other task's packet or sum goes to the server. The last
/// contribution to a task becomes the result for the workers and frees the aggregator. Whether a
/// packet completes or preempts a task (VI, packet swapping) is known only after the stage of
/// `task`, so writing `task` then takes a second pass. A completing packet needs that pass anyway
/// for the rest of its values. If the policy sets kExpires, aggregators expire as in ATP, since a
/// late copy may have reserved one for a complete task. AnsweredBy may send sums to the server.
///
/// With several switches, a leaf adds the gradients of its own workers and sends their sum towards
/// the server as the contribution of its branch (`second_level`). The root adds the branches' sums
/// and answers the workers. Both free their aggregators on completion. The packets of a leaf's
/// workers and its partial sums bypass the root's aggregators.
///
/// If passes are separate, a packet may meet others between its passes, or be lost. Each half of an
/// aggregator therefore has its own bitmap, and a generation that says which task it belongs to.
template <class Policy, class Mode = rmt::Fast>
class DsaProgram final : public PassByPass<DsaProgram<Policy, Mode>, Mode>,
                         public FramePrefetchable {
  using Base = PassByPass<DsaProgram<Policy, Mode>, Mode>;
  friend Base;

 public:
  /// `width`: number of values carried per packet.
  DsaProgram(std::size_t aggregators, std::size_t width, Policy policy,
             Time aggregator_expiry = kAggregatorExpiry, JoinPriority join = JoinPriority::keep,
             AnsweredBy answered_by = AnsweredBy::network_switch)
      : DsaProgram(aggregators, width, std::move(policy), aggregator_expiry, join, answered_by,
                   rmt::Stages<Mode>([&] { return declare_dsa(aggregators, kNeeds, join); })) {}

  /// The policy's requirements on the chip.
  static constexpr policies::PolicyNeeds kNeeds = policies::kNeeds<Policy>;

  std::size_t width() const override { return values_.width(); }
  void fetch_ahead(const Frame& frame) const override {
    const std::uint32_t index = frame.aggregator().index;
    if (index >= task_.size()) return;
    task_.fetch(index);
    bitmap_.fetch(index);
    marks_.fetch(index);
    values_.fetch(index);
    frame.values.fetch();
  }

  void visit_occupied(const SwitchProgram::OccupiedVisitor& visit) const override {
    for_each_held(task_, [&](std::uint32_t index, const TaskId& task) {
      visit({index, task.job, task.psn});
    });
  }
  const TaskId& task(std::uint32_t index) const { return task_.peek(index); }
  std::uint16_t priority(std::uint32_t index) const { return priority_.peek(index); }

 private:
  DsaProgram(std::size_t aggregators, std::size_t width, Policy policy, Time aggregator_expiry,
             JoinPriority join, AnsweredBy answered_by, const rmt::Stages<Mode>& stages)
      : policy_(std::move(policy)),
        expiry_(aggregator_expiry),
        raises_(join == JoinPriority::raise),
        server_answers_(answered_by == AnsweredBy::server),
        task_(stages.of("task"), "task", aggregators),
        timestamp_(stages.of("timestamp"), "timestamp", kNeeds.stamps() ? aggregators : 0),
        priority_(stages.of("priority"), "priority", aggregators),
        bitmap_(stages.of("bitmap"), "bitmap", aggregators),
        generation_(stages.of("generation"), "generation", kIsGuarded ? aggregators : 0),
        swapped_(stages.of("swapped"), "swapped", kIsGuarded ? aggregators : 0),
        second_half_(stages.of("second half"), "second half", kIsGuarded ? aggregators : 0),
        marks_(stages.of("marks"), "marks", aggregators),
        values_(stages.of("values"), aggregators, width) {}

  using Base::job_entry;
  using Base::note;
  using Base::reject;
  static constexpr bool kIsGuarded = rmt::kIsSeparate<Mode>;

  /// Work of a further pass (Carry::step).
  enum Step : std::uint8_t { kSecondHalf = 1, kFetchFirstHalf, kSwap, kEvict, kFetchSecondHalf };
  /// In Carry::notes: the packet carries the complete sum of the first half.
  static constexpr std::uint8_t kHasFirstHalf = 1;

  // Always inlined, as the functions that most packets take: the compiler would call them.
  [[gnu::always_inline]] rmt::Verdict first_pass(rmt::Pass<Mode>& pass, Frame& frame, Time now) {
    const JobEntry& job = job_entry(frame.job);
    if (frame.aggregator().index >= task_.size() || job.workers == 0) return reject();
    switch (frame.kind) {
      case FrameKind::gradient:
        if (goes_past(frame, job)) return rmt::kForward;
        return frame.has(flag::resend) ? retransmission(pass, frame, job, now)
                                       : gradient(pass, frame, job, now);
      case FrameKind::result:
        return result(pass, frame);
      case FrameKind::reminder:
        return asks_here(frame, job) ? reminder(pass, frame, job) : rmt::kForward;
      default:
        return forward(frame);
    }
  }

  rmt::Verdict further_pass(rmt::Pass<Mode>& pass, Frame& frame, Time now) {
    const JobEntry& job = job_entry(frame.job);
    if (job.workers == 0) return reject();  // removed since the last pass
    switch (pass.carry.step) {
      case kSwap:
        return take_aggregator(pass, frame, job, now);
      case kEvict:
        return evict(pass, frame);
      case kFetchFirstHalf:
        return fetch_first_half(pass, frame, job);
      case kFetchSecondHalf:
        return fetch_second_half(pass, frame);
      default:
        return add_second_half(pass, frame, job);
    }
  }

  /// Bitmap of all contributors to the task at this switch: workers below it, or branches.
  static std::uint32_t everyone(const Frame& frame) { return wire::full_bitmap(fan_in_of(frame)); }
  static std::uint32_t branch_bit(const JobEntry& job) { return 1U << job.branch; }

  /// Whether the frame bypasses this switch's aggregators on its way to the server, such as a frame
  /// that another switch adds.
  static bool goes_past(const Frame& frame, const JobEntry& job) {
    if (frame.has(flag::answer | flag::partial)) return true;
    switch (job.level) {
      case TreeLevel::root:
        return !frame.has(flag::second_level);
      case TreeLevel::leaf:
        return frame.has(flag::second_level) || frame.aggregator().bitmap1 != branch_bit(job);
      case TreeLevel::only:
        break;
    }
    return false;
  }
  /// Whether this switch answers the reminder, which is a server's request for a partial sum. A
  /// reminder for the root has the server as source and destination; one for a leaf has a worker
  /// under that leaf as destination. The root only forwards the latter, and the answers to it.
  static bool asks_here(const Frame& frame, const JobEntry& job) {
    return job.level != TreeLevel::root || frame.source == frame.destination;
  }

  using Seen = policies::SeenBy<Policy>;
  enum class Found : std::uint8_t { empty, own, other_task };

  static policies::TaskOrder order_of(const Frame& frame, const TaskId& task) {
    if (frame.job != task.job) return policies::TaskOrder::other_job;
    return frame.psn < task.psn ? policies::TaskOrder::older : policies::TaskOrder::newer;
  }

  static void see_tasks(Seen& seen, const Frame& frame, const TaskId& task) {
    seen.aggregator_job = task.job;
    seen.packet_job = frame.job;
    if constexpr (kNeeds.orders_tasks) seen.packet_is = order_of(frame, task);
  }

  std::uint64_t free_aggregators(JobId job) override {
    return clear_tasks_of(job, task_, [&](std::uint32_t index, const TaskId& task) {
      note(AggregatorEvent::freed, job, task.psn, index);
    });
  }

  [[gnu::always_inline]] rmt::Verdict gradient(rmt::Pass<Mode>& pass, Frame& frame,
                                               const JobEntry& job, Time now) {
    if (bitmap_of(frame) == everyone(frame)) return finish(frame, job, {});
    Seen seen{};
    const Found found = task_.execute(pass, frame.aggregator().index, [&](TaskId& task) {
      if (task == task_of(frame)) return Found::own;
      if (task.valid) {
        see_tasks(seen, frame, task);
        return Found::other_task;
      }
      task = task_of(frame);
      return Found::empty;
    });
    switch (found) {
      case Found::empty:
        return allocate(pass, frame, now);
      case Found::own:
        return add(pass, frame, job, now);
      case Found::other_task:
        break;
    }
    return collide(pass, frame, job, seen, now);
  }

  /// Adds the packet if the aggregator holds its task, and otherwise sends it to the server. It
  /// never reserves an aggregator: its task may be complete, and then nothing would free it.
  [[gnu::noinline]] rmt::Verdict retransmission(rmt::Pass<Mode>& pass, Frame& frame,
                                                const JobEntry& job, Time now) {
    const bool own = task_.execute(pass, frame.aggregator().index,
                                   [&](const TaskId& task) { return task == task_of(frame); });
    return own ? add(pass, frame, job, now) : rmt::kForward;
  }

  void stamp(rmt::Pass<Mode>& pass, std::uint32_t index, Time now) {
    if constexpr (kNeeds.stamps()) {
      timestamp_.execute(pass, index, [&](Time& timestamp) { timestamp = now; });
    }
  }

  /// Age of the aggregator if the policy needs it, otherwise 0.
  Time age(rmt::Pass<Mode>& pass, std::uint32_t index, Time now) {
    if constexpr (kNeeds.stamps()) {
      return timestamp_.execute(pass, index,
                                [&](const Time& timestamp) { return now - timestamp; });
    } else {
      return {};
    }
  }

  /// Runs the action on the priority before those on marks and values. Policies that count the
  /// contributions use behind_values() instead, since the count is known only in a later stage.
  template <class Act>
  static void before_values(Act&& act) {
    if constexpr (!kNeeds.contributions) act();
  }
  template <class Act>
  static void behind_values(Act&& act) {
    if constexpr (kNeeds.contributions) act();
  }

  /// The packet's flags for congestion and retransmission. A result carries these marks of all
  /// contributions, because they concern every worker.
  static std::uint8_t marks_of(const Frame& frame) {
    return static_cast<std::uint8_t>(frame.flags & (flag::ecn | flag::resend));
  }

  rmt::Verdict allocate(rmt::Pass<Mode>& pass, Frame& frame, Time now) {
    const std::uint32_t index = frame.aggregator().index;
    note(AggregatorEvent::allocated, frame.job, frame.psn, index);
    stamp(pass, index, now);
    bitmap_.execute(pass, index, [&](std::uint32_t& bitmap) { bitmap = bitmap_of(frame); });
    begin_generation(pass, generation_, index);
    note_swap(pass, index, false);
    const auto begin_priority = [&] {
      priority_.execute(pass, index,
                        [&](std::uint16_t& priority) { priority = frame.aggregator().priority; });
    };
    before_values(begin_priority);
    marks_.execute(pass, index, [&](std::uint8_t& marks) { marks = marks_of(frame); });
    values_.execute(pass, index,
                    [&](std::int32_t* sum) { begin_sum(sum, frame, first_values<Mode>(width())); });
    behind_values(begin_priority);
    return absorbed(pass, frame);
  }

  void note_swap(rmt::Pass<Mode>& pass, std::uint32_t index, bool swaps) {
    if constexpr (kIsGuarded) {
      swapped_.execute(pass, index, [&](bool& swapped) { swapped = swaps; });
    }
  }
  /// Whether the task took the aggregator from another one. Its packets then follow the evicted sum
  /// on the recirculation path, so that they do not reach the second half before it.
  bool was_swapped(rmt::Pass<Mode>& pass, std::uint32_t index) {
    if constexpr (!kIsGuarded) return false;
    return swapped_.execute(pass, index, [](const bool& swapped) { return swapped; });
  }

  /// Ends the first pass of a packet that stays in the switch. A packet that has been resubmitted
  /// for a swap is recirculated, since a chip resubmits a packet only once.
  static rmt::Verdict absorbed(rmt::Pass<Mode>& pass, Frame& frame, bool follows_swap = false) {
    if constexpr (kIsGuarded) {
      const bool recirculates = follows_swap || pass.carry.step == kSwap;
      pass.carry.step = kSecondHalf;
      pass.carry.contributors = bitmap_of(frame);
      if (recirculates) return {rmt::Verdict::Exit::drop, 0, 1, frame.bytes};
    }
    return kAbsorbed;
  }

  // Always inlined, because most packets take this path, and a verdict that is returned through two
  // calls would be taken apart and reassembled.
  [[gnu::always_inline]] rmt::Verdict add(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job,
                                          Time now) {
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t all = everyone(frame);
    stamp(pass, index, now);
    const std::uint32_t own = bitmap_of(frame);
    const std::uint32_t before = bitmap_.execute(pass, index, [&](std::uint32_t& bitmap) {
      const std::uint32_t found = bitmap;
      if ((found & own) == 0) bitmap |= own;
      return found;
    });
    join_generation(pass, generation_, index);
    const bool follows_swap = was_swapped(pass, index);
    if ((before & own) != 0) [[unlikely]] {
      return repeat(pass, frame, before, follows_swap);
    }
    const bool full = (before | own) == all;
    const auto join_priority = [&] {
      if (!raises_) return;
      priority_.execute(pass, index, [&](std::uint16_t& priority) {
        priority = std::max(priority, frame.aggregator().priority);
      });
    };
    before_values(join_priority);
    note(AggregatorEvent::added, frame.job, frame.psn, index);
    const std::uint8_t all_marks =
        marks_.execute(pass, index, [&](std::uint8_t& marks) { return marks |= marks_of(frame); });
    values_.execute(pass, index, [&](std::int32_t* sum) {
      accumulate(sum, frame, full, first_values<Mode>(width()));
    });
    behind_values(join_priority);
    if (!full) return absorbed(pass, frame, follows_swap);
    frame.set(all_marks);
    bitmap_of(frame) = all;
    return first_half_full(pass, frame, job, own);
  }

  /// Handles a frame of which some workers are already in the aggregator's sum. If all of them are,
  /// the frame is a duplicate. If only some are, it cannot be added and goes to the server.
  /// With separate passes, the second half may lack what the first one has.
  [[gnu::noinline]] rmt::Verdict repeat(rmt::Pass<Mode>& pass, Frame& frame,
                                        std::uint32_t in_aggregator, bool follows_swap) {
    if ((bitmap_of(frame) & ~in_aggregator) == 0) {
      note(AggregatorEvent::duplicate, frame.job, frame.psn, frame.aggregator().index);
      return kIsGuarded ? absorbed(pass, frame, follows_swap) : rmt::kDrop;
    }
    note(AggregatorEvent::fallback, frame.job, frame.psn, frame.aggregator().index);
    return rmt::kForward;
  }

  /// Adds the values to the sum. If they complete it (`full`), the frame gets the sum. The
  /// registers need it then only if the packet may be lost before it leaves.
  void accumulate(std::int32_t* sum, Frame& frame, bool full, ValueRange range) {
    if (range.count == 0) return;
    if (full && !kIsGuarded) return fetch_sum_with_own(sum, frame, range);
    numeric::add_sticky(sum + range.begin, frame.values.data() + range.begin, range.count);
    if (full) fetch_sum(sum, frame, range);
  }

  static void swap_sum(std::int32_t* sum, Frame& frame, ValueRange range) {
    if (range.count == 0) return;
    frame.values = std::move(frame.values).into_unique();
    std::swap_ranges(sum + range.begin, sum + range.begin + range.count,
                     frame.values.data() + range.begin);
  }

  /// The packet has the complete first half, and frees the aggregator in its second pass. `own`:
  /// its contributors.
  rmt::Verdict first_half_full(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job,
                               std::uint32_t own) {
    const rmt::Verdict verdict = with_sums(rmt::Verdict::Exit::forward, frame.bytes);
    if constexpr (kIsGuarded) {
      pass.carry.step = kSecondHalf;
      pass.carry.notes = kHasFirstHalf;
      pass.carry.contributors = own;
      return verdict;
    }
    rmt::Pass<Mode> second;
    task_.execute(second, frame.aggregator().index, [](TaskId& task) { task.valid = false; });
    note(AggregatorEvent::freed, frame.job, frame.psn, frame.aggregator().index);
    return finish(frame, job, verdict);
  }

  /// Adds the packet to the second half. Contributions of other generations give way to it.
  /// The packet that completes it leaves if it has the first half, and fetches that otherwise.
  rmt::Verdict add_second_half(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job) {
    const std::uint32_t index = frame.aggregator().index;
    const bool has_first_half = (pass.carry.notes & kHasFirstHalf) != 0;
    if (has_first_half) take_own(pass, frame);
    const std::uint32_t own = pass.carry.contributors;
    const std::uint32_t before = join_second_half(pass, second_half_, index);
    if ((before & own) != 0) return rmt::kDrop;
    const bool full = (before | own) == everyone(frame);
    values_.execute(pass, index, [&](std::int32_t* sum) {
      const ValueRange range = second_values<Mode>(width());
      before == 0 ? begin_sum(sum, frame, range) : accumulate(sum, frame, full, range);
    });
    if (!full) return rmt::kDrop;
    if (has_first_half) return finish(frame, job, {});
    pass.carry.step = kFetchFirstHalf;
    return with_sums(rmt::Verdict::Exit::forward, frame.bytes);
  }

  /// The packet has the complete second half. The first one is complete, too, as every packet adds
  /// to it before. It is lost if another task has taken the aggregator.
  rmt::Verdict fetch_first_half(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job) {
    const std::uint32_t index = frame.aggregator().index;
    take_own(pass, frame);
    if (!is_present_generation(pass, generation_, index)) return rmt::kDrop;
    frame.set(marks_.execute(pass, index, [](const std::uint8_t& marks) { return marks; }));
    values_.execute(pass, index, [&](const std::int32_t* sum) {
      fetch_sum(sum, frame, first_values<Mode>(width()));
    });
    bitmap_of(frame) = everyone(frame);
    return finish(frame, job, {});
  }

  /// Prepares a frame with all contributions to leave. From a leaf it goes to the root as the sum
  /// of the leaf's branch. Elsewhere it becomes the result for the workers, or goes to the server
  /// if that answers them. `verdict`: contains the cost so far.
  rmt::Verdict finish(Frame& frame, const JobEntry& job, rmt::Verdict verdict) {
    note(AggregatorEvent::completed, frame.job, frame.psn, frame.aggregator().index);
    if (job.level == TreeLevel::leaf) {
      frame.set(flag::second_level);
      frame.aggregator().bitmap0 = 0;
      verdict.exit = rmt::Verdict::Exit::forward;
    } else if (server_answers_) [[unlikely]] {
      become_partial(frame, task_of(frame), bitmap_of(frame), marks_of(frame));
      verdict.exit = rmt::Verdict::Exit::forward;
    } else {
      if (job.level == TreeLevel::root) frame.aggregator().bitmap1 = 0;
      frame.clear(flag::second_level);
      frame.kind = FrameKind::result;
      frame.destination = kAllWorkers;
      verdict.exit = rmt::Verdict::Exit::multicast;
    }
    return verdict;
  }

  rmt::Verdict collide(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job, Seen& seen,
                       Time now) {
    const std::uint32_t index = frame.aggregator().index;
    note(AggregatorEvent::collided, frame.job, frame.psn, index);
    const Time waited = age(pass, index, now);
    if (kNeeds.expires && waited > expiry_) return preempt(pass, frame, job, now);
    if constexpr (kNeeds.age) seen.age = waited;
    if constexpr (kNeeds.contributions) {
      seen.contributions =
          bitmap_.execute(pass, index, [](const std::uint32_t& b) { return std::popcount(b); });
    }
    const bool preempts = priority_.execute(pass, index, [&](std::uint16_t& priority) {
      seen.aggregator_priority = priority;
      seen.packet_priority = frame.aggregator().priority;
      const policies::Decision decision = policy_.collide(seen);
      if (!decision.preempt) priority = decision.aggregator_priority;
      return decision.preempt;
    });
    return preempts ? preempt(pass, frame, job, now) : fall_back(frame);
  }

  /// Sends the packet to the server instead of adding it.
  rmt::Verdict fall_back(Frame& frame) {
    note(AggregatorEvent::fallback, frame.job, frame.psn, frame.aggregator().index);
    frame.set(flag::collision);
    return rmt::kForward;
  }

  /// The packet takes the aggregator in a second pass.
  rmt::Verdict preempt(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job, Time now) {
    if constexpr (kIsGuarded) {
      pass.carry.step = kSwap;
      return {rmt::Verdict::Exit::forward, 1};
    }
    rmt::Pass<Mode> second;
    return take_aggregator(second, frame, job, now);
  }

  /// Swaps the packet with the aggregator: its values stay, and it leaves with the partial sum. If
  /// passes are separate, the aggregator may belong to the packet's task by now, or be free. In a
  /// free one the packet reserves nothing, since its task may have been completed meanwhile.
  rmt::Verdict take_aggregator(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job, Time now) {
    const std::uint32_t index = frame.aggregator().index;
    const TaskId evicted = task_.execute(pass, index, [&](TaskId& task) {
      return kIsGuarded && !task.valid ? task : std::exchange(task, task_of(frame));
    });
    if (kIsGuarded && evicted == task_of(frame)) return add(pass, frame, job, now);
    if (kIsGuarded && !evicted.valid) return fall_back(frame);
    note(AggregatorEvent::preempted, frame.job, frame.psn, index);
    note(AggregatorEvent::allocated, frame.job, frame.psn, index);
    stamp(pass, index, now);
    const std::uint32_t own = bitmap_of(frame);
    const std::uint32_t found = bitmap_.execute(
        pass, index, [&](std::uint32_t& bitmap) { return std::exchange(bitmap, own); });
    begin_generation(pass, generation_, index);
    note_swap(pass, index, true);
    const auto swap_priority = [&] {
      priority_.execute(pass, index, [&](std::uint16_t& priority) {
        std::swap(priority, frame.aggregator().priority);
      });
    };
    before_values(swap_priority);
    const std::uint8_t marks = marks_.execute(
        pass, index, [&](std::uint8_t& m) { return std::exchange(m, marks_of(frame)); });
    values_.execute(pass, index,
                    [&](std::int32_t* sum) { swap_sum(sum, frame, first_values<Mode>(width())); });
    behind_values(swap_priority);
    become_partial(frame, evicted, found, marks);
    note(AggregatorEvent::evicted, frame.job, frame.psn, index);
    note(AggregatorEvent::freed, frame.job, frame.psn, index);
    note(AggregatorEvent::fallback, frame.job, frame.psn, index);
    if constexpr (kIsGuarded) {
      pass.carry.step = kEvict;
      pass.carry.contributors = own;
      return with_sums(rmt::Verdict::Exit::forward, frame.bytes);
    }
    return swapped(frame.bytes);
  }

  /// Swaps the second halves. The partial sum leaves if both of its halves have the same
  /// contributors. Otherwise it is lost, and the server will ask the workers.
  rmt::Verdict evict(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t found = exchange_second_half(pass, second_half_, index);
    values_.execute(pass, index,
                    [&](std::int32_t* sum) { swap_sum(sum, frame, second_values<Mode>(width())); });
    return found == bitmap_of(frame) ? rmt::kForward : rmt::kDrop;
  }

  /// Makes the frame a partial sum for the server. Only a reminder's answer also gets flag::resend.
  void become_partial(Frame& frame, const TaskId& task, std::uint32_t bitmap, std::uint8_t marks) {
    const JobEntry& job = job_entry(task.job);
    frame.psn = task.psn;
    frame.job = task.job;
    frame.kind = FrameKind::gradient;
    frame.flags = flag::partial;
    frame.set(marks & flag::ecn);
    frame.destination = job.servers.of(task.psn);
    frame.aggregator().fan_in_degree0 = static_cast<std::uint8_t>(job.workers);
    frame.aggregator().fan_in_degree1 = job.branches;
    frame.aggregator().bitmap0 = 0;
    frame.aggregator().bitmap1 = job.level == TreeLevel::leaf ? branch_bit(job) : 0;
    if (job.level == TreeLevel::root) frame.set(flag::second_level);
    bitmap_of(frame) = bitmap;
  }

  /// Frees the aggregator if it belongs to the frame's task.
  bool take_own(rmt::Pass<Mode>& pass, const Frame& frame) {
    const bool own = task_.execute(pass, frame.aggregator().index, [&](TaskId& task) {
      const bool match = task == task_of(frame);
      if (match) task.valid = false;
      return match;
    });
    if (own) note(AggregatorEvent::freed, frame.job, frame.psn, frame.aggregator().index);
    return own;
  }

  /// The server has completed the task, so a sum that the switch still holds is obsolete.
  rmt::Verdict result(rmt::Pass<Mode>& pass, Frame& frame) {
    take_own(pass, frame);
    return forward(frame);
  }

  /// IV.B, fetch and free: the reminder returns to the server with the partial sum, and frees its
  /// aggregator; if there is none, it returns without values. A leaf first swaps source and
  /// destination, since it answers in place of the worker to which the reminder is addressed.
  rmt::Verdict reminder(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job) {
    if (job.level == TreeLevel::leaf) std::swap(frame.source, frame.destination);
    if (!take_own(pass, frame)) return rmt::kForward;
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t bitmap =
        bitmap_.execute(pass, index, [](const std::uint32_t& found) { return found; });
    join_generation(pass, generation_, index);
    const std::uint8_t marks = marks_.execute(pass, index, [](const std::uint8_t& m) { return m; });
    values_.execute(pass, index, [&](const std::int32_t* sum) {
      fetch_sum(sum, frame, first_values<Mode>(width()));
    });
    if constexpr (kIsGuarded) {
      pass.carry.step = kFetchSecondHalf;
      pass.carry.contributors = bitmap;
      pass.carry.notes = marks;
    } else {
      answer_reminder(frame, bitmap, marks);
    }
    return with_sums(rmt::Verdict::Exit::forward, frame.bytes);
  }

  void answer_reminder(Frame& frame, std::uint32_t bitmap, std::uint8_t marks) {
    become_partial(frame, task_of(frame), bitmap, marks);
    frame.set(flag::resend);
  }

  /// The reminder returns without values unless both halves have the same contributors.
  rmt::Verdict fetch_second_half(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t found = read_second_half(pass, second_half_, index);
    if (found != pass.carry.contributors) return rmt::kForward;
    values_.execute(pass, index, [&](const std::int32_t* sum) {
      fetch_sum(sum, frame, second_values<Mode>(width()));
    });
    answer_reminder(frame, pass.carry.contributors, pass.carry.notes);
    return rmt::kForward;
  }

  BOOST_DESCRIBE_CLASS(DsaProgram, (), (), (),
                       (task_, timestamp_, priority_, bitmap_, generation_, swapped_, second_half_,
                        marks_, values_))

  Policy policy_;
  Time expiry_;
  bool raises_;          // whether JoinPriority is `raise`
  bool server_answers_;  // whether AnsweredBy is `server`
  rmt::RegisterArray<TaskId, Mode> task_;
  rmt::RegisterArray<Time, Mode> timestamp_;  // no cells unless kNeeds.stamps()
  rmt::RegisterArray<std::uint16_t, Mode> priority_;
  rmt::RegisterArray<std::uint32_t, Mode> bitmap_;
  // The guard; its arrays have no cells unless passes are separate.
  Generations<Mode> generation_;
  rmt::RegisterArray<bool, Mode> swapped_;
  SecondHalves<Mode> second_half_;

  rmt::RegisterArray<std::uint8_t, Mode> marks_;  // marks of all contributions
  rmt::ValueRegisters<Mode> values_;
};

}  // namespace ina::programs
