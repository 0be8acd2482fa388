// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/prefetchable.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/levels.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/programs/task_id.hpp"
#include "switch-models/programs/value_passes.hpp"
#include "switch-models/rmt/register_array.hpp"

namespace ina::programs {

/// ATP 3.5, 3.7 and A.2. Jobs share the aggregators: a hash selects one for each task, and the
/// first task to come is served. A complete sum goes to the server, but its aggregator is freed
/// only when the parameter packet passes the switch on its way back. A retransmission (resend)
/// flushes the aggregator's sum at the first level, and discards it at the second.
template <class Mode = rmt::Fast>
class AtpProgram final : public SwitchProgram, public FramePrefetchable {
 public:
  explicit AtpProgram(const AtpConfig& config)
      : AtpProgram(config, rmt::Stages<Mode>([&] { return declare_atp(config.aggregators); })) {}

  std::size_t width() const override { return values_.width(); }
  rmt::Verdict process(Frame& frame, Time now) override {
    if (frame.aggregator().index >= task_.size() || job_entry(frame.job).workers == 0) {
      return reject();
    }
    if (frame.kind == FrameKind::result) return parameter(frame, now);
    const bool aggregates_here = frame.kind == FrameKind::gradient && fan_in_of(frame) != 0;
    if (!aggregates_here) return forward(frame);
    return frame.has(flag::resend) ? resend(frame) : gradient(frame, now);
  }

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

  void visit_occupied(const OccupiedVisitor& visit) const override {
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
        counter_(stages.of("counter"), "counter", config.aggregators),
        ecn_(stages.of("ecn"), "ecn", config.aggregators),
        values_(stages.of("values"), config.aggregators, config.width) {}

  enum class Found : std::uint8_t { empty, own, other_task };

  std::uint64_t free_aggregators(JobId job) override {
    return clear_tasks_of(job, task_, [&](std::uint32_t index, const TaskId& task) {
      note(AggregatorEvent::freed, job, task.psn, index);
    });
  }

  rmt::Verdict gradient(Frame& frame, Time now) {
    rmt::Pass<Mode> pass;
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
    ecn_.execute(pass, index, [&](bool& ecn) { ecn = frame.has(flag::ecn); });
    counter_.execute(pass, index, [](std::uint32_t& counter) { counter = 1; });
    values_.execute(pass, index, [&](std::int32_t* sum) {
      if (values_.width() != 0) std::copy_n(frame.values.data(), values_.width(), sum);
    });
    return fan_in_of(frame) == 1 ? complete(frame) : kAbsorbed;
  }

  rmt::Verdict add(rmt::Pass<Mode>& pass, Frame& frame) {
    const std::uint32_t index = frame.aggregator().index;
    const bool again = set_bits(pass, frame, bitmap_of(frame));
    if (again) {
      note(AggregatorEvent::duplicate, frame.job, frame.psn, index);
      ecn_.execute(pass, index, [&](bool& ecn) { ecn |= frame.has(flag::ecn); });
      return rmt::kDrop;
    }
    note(AggregatorEvent::added, frame.job, frame.psn, index);
    const bool marked =
        ecn_.execute(pass, index, [&](bool& ecn) { return ecn |= frame.has(flag::ecn); });
    const std::uint32_t counter =
        counter_.execute(pass, index, [](std::uint32_t& count) { return ++count; });
    const bool full = counter == fan_in_of(frame);
    values_.execute(pass, index, [&](std::int32_t* sum) { accumulate(sum, frame, full); });
    if (!full) return kAbsorbed;
    if (marked) frame.set(flag::ecn);
    return complete(frame);
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

  void accumulate(std::int32_t* sum, Frame& frame, bool full) {
    const std::size_t width = values_.width();
    if (width == 0) return;
    numeric::add_sticky(sum, frame.values.data(), width);
    if (full) copy_to_packet(sum, frame);
  }

  void copy_to_packet(const std::int32_t* sum, Frame& frame) {
    frame.values = std::move(frame.values).into_unique();
    std::copy_n(sum, values_.width(), frame.values.data());
  }

  rmt::Verdict complete(Frame& frame) {
    note(AggregatorEvent::completed, frame.job, frame.psn, frame.aggregator().index);
    frame.set(flag::second_level);
    return with_sums(rmt::Verdict::Exit::forward, frame.bytes);
  }

  /// ATP's figure 16. A retransmission never reserves an aggregator. Packets of floats (3.8), which
  /// workers send after an integer overflow, bypass all aggregators.
  rmt::Verdict resend(Frame& frame) {
    if (frame.has(flag::floats)) return forward(frame);
    rmt::Pass<Mode> pass;
    const std::uint32_t index = frame.aggregator().index;
    const bool own = take_own(pass, frame) == Found::own;
    const bool flushes = own && !frame.has(flag::second_level);
    if (flushes) {
      const std::uint32_t bits = frame.aggregator().bitmap0;
      const bool again = set_bits(pass, frame, bits);
      const bool marked = ecn_.execute(pass, index, [](const bool& ecn) { return ecn; });
      values_.execute(pass, index, [&](std::int32_t* sum) {
        if (values_.width() == 0) return;
        if (!again) numeric::add_sticky(sum, frame.values.data(), values_.width());
        copy_to_packet(sum, frame);
      });
      if (marked) frame.set(flag::ecn);
      frame.set(flag::partial);
    }
    frame.set(flag::second_level);
    return flushes ? with_sums(rmt::Verdict::Exit::forward, frame.bytes) : rmt::kForward;
  }

  /// Frees the aggregator if it belongs to the frame's task.
  Found take_own(rmt::Pass<Mode>& pass, const Frame& frame) {
    const Found found = task_.execute(pass, frame.aggregator().index, [&](TaskId& task) {
      if (task != task_of(frame)) return task.valid ? Found::other_task : Found::empty;
      task.valid = false;
      return Found::own;
    });
    if (found == Found::own) {
      note(AggregatorEvent::freed, frame.job, frame.psn, frame.aggregator().index);
    }
    return found;
  }

  rmt::Verdict parameter(Frame& frame, Time now) {
    rmt::Pass<Mode> pass;
    rmt::Verdict verdict = forward(frame);
    if (take_own(pass, frame) != Found::other_task) return verdict;
    const bool expired =
        timestamp_.execute(pass, frame.aggregator().index,
                           [&](const Time& timestamp) { return now - timestamp > expiry_; });
    if (expired) {
      rmt::Pass<Mode> second;
      task_.execute(second, frame.aggregator().index, [&](TaskId& task) {
        note(AggregatorEvent::freed, task.job, task.psn, frame.aggregator().index);
        task.valid = false;
      });
      verdict.recirculations = 1;
      verdict.recirculated_bytes = frame.bytes;
    }
    return verdict;
  }

  BOOST_DESCRIBE_CLASS(AtpProgram, (), (), (),
                       (task_, timestamp_, bitmap_, counter_, ecn_, values_))

  Time expiry_;
  rmt::RegisterArray<TaskId, Mode> task_;
  rmt::RegisterArray<Time, Mode> timestamp_;
  rmt::RegisterArray<std::uint32_t, Mode> bitmap_;
  rmt::RegisterArray<std::uint32_t, Mode> counter_;
  rmt::RegisterArray<bool, Mode> ecn_;
  rmt::ValueRegisters<Mode> values_;
};

}  // namespace ina::programs
