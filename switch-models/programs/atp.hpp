// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/prefetchable.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/levels.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/programs/pass_by_pass.hpp"
#include "switch-models/programs/second_half.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/programs/task_id.hpp"
#include "switch-models/programs/value_passes.hpp"
#include "switch-models/rmt/register_array.hpp"

namespace ina::programs {

/// ATP 3.5, 3.7 and A.2. Jobs share the aggregators: a hash selects one for each task, and the
/// first task to come is served. A complete sum goes to the server, but its aggregator is freed
/// only when the parameter packet passes the switch on its way back. A retransmission (resend)
/// flushes the aggregator's sum at the first level, and discards it at the second.
///
/// If passes are separate, each half of an aggregator has its own bitmap and generation, as in DSA.
template <class Mode = rmt::Fast>
class AtpProgram final : public PassByPass<AtpProgram<Mode>, Mode>, public FramePrefetchable {
  using Base = PassByPass<AtpProgram<Mode>, Mode>;
  friend Base;

 public:
  explicit AtpProgram(const AtpConfig& config)
      : AtpProgram(config, rmt::Stages<Mode>([&] { return declare_atp(config.aggregators); })) {}

  std::size_t width() const override { return values_.width(); }
  void fetch_ahead(const Frame& frame) const override {
    const std::uint32_t index = frame.aggregator().index;
    if (index >= task_.size()) return;
    task_.fetch(index);
    timestamp_.fetch(index);
    bitmap_.fetch(index);
    counter_.fetch(index);
    ecn_.fetch(index);
    values_.fetch(index);
    frame.values.fetch();
  }

  void visit_occupied(const SwitchProgram::OccupiedVisitor& visit) const override {
    for_each_held(task_, [&](std::uint32_t index, const TaskId& task) {
      visit({index, task.job, task.psn});
    });
  }
  const TaskId& task(std::uint32_t index) const { return task_.peek(index); }

 private:
  AtpProgram(const AtpConfig& config, const rmt::Stages<Mode>& stages)
      : expiry_(config.aggregator_expiry),
        task_(stages.of("task"), "task", config.aggregators),
        timestamp_(stages.of("timestamp"), "timestamp", config.aggregators),
        bitmap_(stages.of("bitmap"), "bitmap", config.aggregators),
        generation_(stages.of("generation"), "generation", kIsGuarded ? config.aggregators : 0),
        second_half_(stages.of("second half"), "second half", kIsGuarded ? config.aggregators : 0),
        counter_(stages.of("counter"), "counter", config.aggregators),
        ecn_(stages.of("ecn"), "ecn", config.aggregators),
        values_(stages.of("values"), config.aggregators, config.width) {}

  using Base::job_entry;
  using Base::note;
  using Base::reject;
  static constexpr bool kIsGuarded = rmt::kIsSeparate<Mode>;

  enum class Found : std::uint8_t { empty, own, other_task };
  /// Work of a further pass (Carry::step).
  enum Step : std::uint8_t { kSecondHalf = 1, kFetchFirstHalf, kFlushSecondHalf, kFreeExpired };
  /// In Carry::notes: the packet carries the complete sum of the first half.
  static constexpr std::uint8_t kHasFirstHalf = 1;

  // Always inlined, as the functions that most packets take: the compiler would call them.
  [[gnu::always_inline]] rmt::Verdict first_pass(rmt::Pass<Mode>& pass, Frame& frame, Time now) {
    if (frame.aggregator().index >= task_.size() || job_entry(frame.job).workers == 0) {
      return reject();
    }
    if (frame.kind == FrameKind::result) return parameter(pass, frame, now);
    const bool aggregates_here = frame.kind == FrameKind::gradient && fan_in_of(frame) != 0;
    if (!aggregates_here) return forward(frame);
    return frame.has(flag::resend) ? resend(pass, frame) : gradient(pass, frame, now);
  }

  rmt::Verdict further_pass(rmt::Pass<Mode>& pass, Frame& frame, Time) {
    if (job_entry(frame.job).workers == 0) return reject();  // removed since the last pass
    switch (pass.carry.step) {
      case kFetchFirstHalf:
        return fetch_first_half(pass, frame);
      case kFlushSecondHalf:
        return flush_second_half(pass, frame);
      case kFreeExpired:
        free_expired(pass, frame, {pass.carry.psn, pass.carry.job, true});
        return forward(frame);
      default:
        return add_second_half(pass, frame);
    }
  }

  std::uint64_t free_aggregators(JobId job) override {
    return clear_tasks_of(job, task_, [&](std::uint32_t index, const TaskId& task) {
      note(AggregatorEvent::freed, job, task.psn, index);
    });
  }

  [[gnu::always_inline]] rmt::Verdict gradient(rmt::Pass<Mode>& pass, Frame& frame, Time now) {
    const std::uint32_t index = frame.aggregator().index;
    const Found found = task_.execute(pass, index, [&](TaskId& task) {
      if (task == task_of(frame)) return Found::own;
      if (task.valid) return Found::other_task;
      task = task_of(frame);
      return Found::empty;
    });
    if (found == Found::other_task) return collide(frame);
    timestamp_.execute(pass, index, [&](Time& timestamp) { timestamp = now; });
    if (found == Found::empty) return allocate(pass, frame);
    return add(pass, frame);
  }

  rmt::Verdict collide(Frame& frame) {
    note(AggregatorEvent::collided, frame.job, frame.psn, frame.aggregator().index);
    note(AggregatorEvent::fallback, frame.job, frame.psn, frame.aggregator().index);
    frame.set(flag::collision);
    frame.set(flag::resend);
    frame.set(flag::second_level);
    return rmt::kForward;
  }

  rmt::Verdict allocate(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    note(AggregatorEvent::allocated, frame.job, frame.psn, index);
    bitmap_.execute(pass, index, [&](std::uint32_t& bitmap) { bitmap = bitmap_of(frame); });
    begin_generation(pass, generation_, index);
    ecn_.execute(pass, index, [&](bool& ecn) { ecn = frame.has(flag::ecn); });
    counter_.execute(pass, index, [](std::uint32_t& counter) { counter = 1; });
    values_.execute(pass, index,
                    [&](std::int32_t* sum) { begin_sum(sum, frame, first_values<Mode>(width())); });
    const std::uint32_t own = bitmap_of(frame);
    return fan_in_of(frame) == 1 ? first_half_full(pass, frame, own) : absorbed(pass, frame, own);
  }

  /// Ends the first pass of a packet that stays in the switch. `own`: its contributors.
  static rmt::Verdict absorbed(rmt::Pass<Mode>& pass, Frame& frame, std::uint32_t own) {
    if constexpr (kIsGuarded) {
      bitmap_of(frame) = own;  // it arrives again as it was
      pass.carry.step = kSecondHalf;
      pass.carry.contributors = own;
    }
    return kAbsorbed;
  }

  /// Ends the first pass of a packet that carries the complete first half.
  rmt::Verdict first_half_full(rmt::Pass<Mode>& pass, Frame& frame, std::uint32_t own) {
    const rmt::Verdict verdict = with_sums(rmt::Verdict::Exit::forward, frame.bytes);
    if constexpr (kIsGuarded) {
      pass.carry.step = kSecondHalf;
      pass.carry.notes = kHasFirstHalf;
      pass.carry.contributors = own;
      return verdict;
    }
    return complete(frame, verdict);
  }

  rmt::Verdict add(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t own = bitmap_of(frame);
    const bool again = set_bits(pass, frame, own);
    join_generation(pass, generation_, index);
    if (again) {
      note(AggregatorEvent::duplicate, frame.job, frame.psn, index);
      ecn_.execute(pass, index, [&](bool& ecn) { ecn |= frame.has(flag::ecn); });
      // With separate passes, the second half may lack what the first one has.
      return kIsGuarded ? absorbed(pass, frame, own) : rmt::kDrop;
    }
    note(AggregatorEvent::added, frame.job, frame.psn, index);
    const bool marked =
        ecn_.execute(pass, index, [&](bool& ecn) { return ecn |= frame.has(flag::ecn); });
    const std::uint32_t counter =
        counter_.execute(pass, index, [](std::uint32_t& count) { return ++count; });
    const bool full = counter == fan_in_of(frame);
    values_.execute(pass, index, [&](std::int32_t* sum) {
      accumulate(sum, frame, full, first_values<Mode>(width()));
    });
    if (!full) return absorbed(pass, frame, own);
    if (marked) frame.set(flag::ecn);
    return first_half_full(pass, frame, own);
  }

  /// Adds the packet to the second half. Contributions of other generations give way to it.
  /// The packet that completes it leaves if it has the first half, and fetches that otherwise.
  rmt::Verdict add_second_half(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t own = pass.carry.contributors;
    const std::uint32_t before = join_second_half(pass, second_half_, index);
    if ((before & own) != 0) return rmt::kDrop;
    const bool full = (before | own) == wire::full_bitmap(fan_in_of(frame));
    values_.execute(pass, index, [&](std::int32_t* sum) {
      const ValueRange range = second_values<Mode>(width());
      before == 0 ? begin_sum(sum, frame, range) : accumulate(sum, frame, full, range);
    });
    if (!full) return rmt::kDrop;
    if ((pass.carry.notes & kHasFirstHalf) != 0) return complete(frame, rmt::kForward);
    pass.carry.step = kFetchFirstHalf;
    return with_sums(rmt::Verdict::Exit::forward, frame.bytes);
  }

  /// The packet has the complete second half. The first one is complete, too, as every packet adds
  /// to it before. It is lost if another task has reserved the aggregator.
  rmt::Verdict fetch_first_half(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    if (!is_present_generation(pass, generation_, index)) return rmt::kDrop;
    if (ecn_.execute(pass, index, [](const bool& ecn) { return ecn; })) frame.set(flag::ecn);
    values_.execute(pass, index, [&](const std::int32_t* sum) {
      fetch_sum(sum, frame, first_values<Mode>(width()));
    });
    bitmap_of(frame) = wire::full_bitmap(fan_in_of(frame));
    return complete(frame, rmt::kForward);
  }

  /// Sets the packet's bits in the aggregator's bitmap and copies the union into the packet.
  /// Returns whether the bitmap already had any of the packet's bits.
  bool set_bits(rmt::Pass<Mode>& pass, Frame& frame, std::uint32_t bits) {
    return bitmap_.execute(pass, frame.aggregator().index, [&](std::uint32_t& bitmap) {
      const bool before = (bitmap & bits) != 0;
      bitmap |= bits;
      bitmap_of(frame) = bitmap;
      return before;
    });
  }

  void accumulate(std::int32_t* sum, Frame& frame, bool full, ValueRange range) {
    if (range.count == 0) return;
    numeric::add_sticky(sum + range.begin, frame.values.data() + range.begin, range.count);
    if (full) fetch_sum(sum, frame, range);
  }

  rmt::Verdict complete(Frame& frame, rmt::Verdict verdict) {
    note(AggregatorEvent::completed, frame.job, frame.psn, frame.aggregator().index);
    frame.set(flag::second_level);
    return verdict;
  }

  /// ATP's figure 16. A retransmission never reserves an aggregator. Packets of floats (3.8), which
  /// workers send after an integer overflow, bypass all aggregators.
  rmt::Verdict resend(rmt::Pass<Mode>& pass, Frame& frame) {
    if (frame.has(flag::floats)) return forward(frame);
    const bool own = take_own(pass, frame) == Found::own;
    if (own && !frame.has(flag::second_level)) return flush(pass, frame);
    frame.set(flag::second_level);
    return rmt::kForward;
  }

  rmt::Verdict flush(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t bits = frame.aggregator().bitmap0;
    const bool again = set_bits(pass, frame, bits);
    join_generation(pass, generation_, index);
    const bool marked = ecn_.execute(pass, index, [](const bool& ecn) { return ecn; });
    values_.execute(pass, index, [&](std::int32_t* sum) {
      const ValueRange range = first_values<Mode>(width());
      again ? fetch_sum(sum, frame, range) : accumulate(sum, frame, true, range);
    });
    if (marked) frame.set(flag::ecn);
    if constexpr (kIsGuarded) {
      pass.carry.step = kFlushSecondHalf;
      pass.carry.contributors = bits;
    } else {
      become_partial(frame);
    }
    return with_sums(rmt::Verdict::Exit::forward, frame.bytes);
  }

  static void become_partial(Frame& frame) {
    frame.set(flag::partial);
    frame.set(flag::second_level);
  }

  /// The partial sum leaves if both halves have the same contributors. Otherwise it is lost, and
  /// each worker sends its packet again.
  rmt::Verdict flush_second_half(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    const std::uint32_t own = pass.carry.contributors;
    const std::uint32_t both = frame.aggregator().bitmap0;
    const std::uint32_t before = join_second_half(pass, second_half_, index);
    const bool again = (before & own) != 0;
    values_.execute(pass, index, [&](std::int32_t* sum) {
      const ValueRange range = second_values<Mode>(width());
      if (before == 0) return begin_sum(sum, frame, range);
      again ? fetch_sum(sum, frame, range) : accumulate(sum, frame, true, range);
    });
    if ((before | own) != both) return rmt::kDrop;
    become_partial(frame);
    return rmt::kForward;
  }

  /// Frees the aggregator if it belongs to the frame's task.
  /// `other`: gets the aggregator's task otherwise.
  Found take_own(rmt::Pass<Mode>& pass, const Frame& frame, TaskId* other = nullptr) {
    const Found found = task_.execute(pass, frame.aggregator().index, [&](TaskId& task) {
      if (other != nullptr) *other = task;
      if (task != task_of(frame)) return task.valid ? Found::other_task : Found::empty;
      task.valid = false;
      return Found::own;
    });
    if (found == Found::own) {
      note(AggregatorEvent::freed, frame.job, frame.psn, frame.aggregator().index);
    }
    return found;
  }

  rmt::Verdict parameter(rmt::Pass<Mode>& pass, Frame& frame, Time now) {
    rmt::Verdict verdict = forward(frame);
    TaskId found;
    if (take_own(pass, frame, &found) != Found::other_task) return verdict;
    const bool expired =
        timestamp_.execute(pass, frame.aggregator().index,
                           [&](const Time& timestamp) { return now - timestamp > expiry_; });
    if (expired) {
      if constexpr (kIsGuarded) {
        pass.carry.step = kFreeExpired;
        pass.carry.psn = found.psn;
        pass.carry.job = found.job;
      } else {
        rmt::Pass<Mode> second;
        free_expired(second, frame, found);
      }
      verdict.recirculations = 1;
      verdict.recirculated_bytes = frame.bytes;
    }
    return verdict;
  }

  /// Frees the aggregator if it still belongs to the task that was found expired.
  void free_expired(rmt::Pass<Mode>& pass, const Frame& frame, const TaskId& expired) {
    task_.execute(pass, frame.aggregator().index, [&](TaskId& task) {
      if (task != expired) return;
      note(AggregatorEvent::freed, task.job, task.psn, frame.aggregator().index);
      task.valid = false;
    });
  }

  BOOST_DESCRIBE_CLASS(AtpProgram, (), (), (),
                       (task_, timestamp_, bitmap_, generation_, second_half_, counter_, ecn_,
                        values_))

  Time expiry_;
  rmt::RegisterArray<TaskId, Mode> task_;
  rmt::RegisterArray<Time, Mode> timestamp_;
  rmt::RegisterArray<std::uint32_t, Mode> bitmap_;
  Generations<Mode> generation_;    // no cells unless passes are separate
  SecondHalves<Mode> second_half_;  // no cells unless passes are separate
  rmt::RegisterArray<std::uint32_t, Mode> counter_;
  rmt::RegisterArray<bool, Mode> ecn_;
  rmt::ValueRegisters<Mode> values_;
};

}  // namespace ina::programs
