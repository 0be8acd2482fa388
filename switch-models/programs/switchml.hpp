// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/prefetchable.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/programs/value_passes.hpp"
#include "switch-models/rmt/register_array.hpp"

namespace ina::programs {

/// SwitchML, Algorithm 3. Each job has a pool of slots. A slot has two versions: one adds the
/// current fragment, while the other (the shadow copy) keeps the previous result. Each version has
/// a bitmap of the workers seen, a counter, and since NSDI the largest exponent of its sum. All
/// copies of a worker's packet carry the same exponent, so copies change nothing. In addition to
/// the paper, a slot stores the number of its latest fragment, because the single version bit
/// cannot distinguish a fragment from a late copy of the one two before it.
///
/// With several switches (arXiv v1, 6), all of them run this program, and a leaf sends its sum to
/// the root as one update. The counter of a full slot at a leaf stays at the number of its workers
/// until the root's result arrives and replaces the sum; then it is 0, as in any complete slot.
template <class Mode = rmt::Fast>
class SwitchmlProgram final : public SwitchProgram, public FramePrefetchable {
 public:
  /// Parameters as for make_switchml().
  SwitchmlProgram(std::size_t slots, std::size_t width, bool collects_marks = false)
      : SwitchmlProgram(slots, width, collects_marks, rmt::Stages<Mode>([&] {
                          return declare_switchml(slots, std::max(width, kSwitchmlPairs),
                                                  collects_marks);
                        })) {}

  std::size_t width() const override { return values_.width(); }
  rmt::Verdict process(Frame& frame, Time) override {
    const JobEntry& job = job_entry(frame.job);
    if (job.workers == 0) return reject();
    const bool from_root = frame.kind == FrameKind::result && job.level == TreeLevel::leaf;
    if (frame.kind != FrameKind::gradient && !from_root) return forward(frame);
    if (frame.switchml().slot >= job.slots) return reject();
    if (!from_root && frame.worker >= job.workers) return reject();
    rmt::Pass<Mode> pass;
    return from_root ? take_result(pass, frame, job) : update(pass, frame, job);
  }

  void fetch_ahead(const Frame& frame) const override {
    const JobEntry& job = job_entry(frame.job);
    if (frame.switchml().slot >= job.slots) return;
    latest_.fetch(slot_of(frame, job));
    seen_.fetch(slot_of(frame, job));
    exponents_.fetch(row_of(frame, job));
    count_.fetch(row_of(frame, job));
    values_.fetch(row_of(frame, job));
    frame.values.fetch();
  }

  void visit_occupied(const OccupiedVisitor& visit) const override {
    count_.for_each([&](std::uint32_t row, std::uint32_t count) {
      if (count != 0) visit({row, job_of_slot(row / 2), std::nullopt});
    });
  }

 private:
  SwitchmlProgram(std::size_t slots, std::size_t width, bool collects_marks,
                  const rmt::Stages<Mode>& stages)
      : latest_(stages.of("latest"), "latest", slots),
        seen_(stages.of("seen"), "seen", slots),
        exponents_(stages.of("exponents"), "exponents", 2 * slots),
        count_(stages.of("count"), "count", 2 * slots),
        marks_(stages.of("marks"), "marks", collects_marks ? 2 * slots : 0),
        values_(stages.of("values"), 2 * slots, width) {}

  using Seen = std::array<std::uint32_t, 2>;  // indexed by version

  /// Resets the job's pool, including the shadow copies, to the initial state.
  std::uint64_t free_aggregators(JobId job) override {
    const JobEntry& entry = job_entry(job);
    std::uint64_t freed = 0;
    for (std::uint32_t slot = entry.first_slot; slot < entry.first_slot + entry.slots; ++slot) {
      for (const std::uint32_t row : {2 * slot, 2 * slot + 1}) {
        if (count_.peek(row) == 0) continue;
        note(AggregatorEvent::freed, job, latest_.peek(slot), row);
        count_.write(row, 0);
        ++freed;
      }
      latest_.write(slot, 0);
      seen_.write(slot, {});
    }
    return freed;
  }

  static std::uint32_t slot_of(const Frame& frame, const JobEntry& job) {
    return job.first_slot + frame.switchml().slot;
  }
  static std::uint32_t row_of(const Frame& frame, const JobEntry& job) {
    return 2 * slot_of(frame, job) + (frame.switchml().version ? 1 : 0);
  }
  /// The counter's value in a slot that has all updates.
  static std::uint32_t full(const JobEntry& job) {
    return job.level == TreeLevel::leaf ? job.workers : 0;
  }

  rmt::Verdict update(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job) {
    const std::uint32_t slot = slot_of(frame, job);
    const std::size_t version = frame.switchml().version ? 1 : 0;
    const std::uint32_t row = row_of(frame, job);
    const std::uint32_t bit = 1U << frame.worker;
    const bool behind = latest_.execute(pass, slot, [&](Psn& latest) {
      latest = std::max(latest, frame.psn);
      return frame.psn < latest;
    });
    const std::uint32_t seen = seen_.execute(pass, slot, [&](Seen& both) {
      const std::uint32_t before_it = both[version];
      if ((before_it & bit) == 0 && !behind) {
        both[version] |= bit;
        both[1 - version] &= ~bit;
      }
      return before_it;
    });
    const bool again = (seen & bit) != 0;
    std::uint16_t& exponents = frame.switchml().exponents;
    exponents = exponents_.execute(pass, row, [&](std::uint16_t& largest) {
      if (behind) return largest;
      return largest = seen == 0 ? exponents : std::max(largest, exponents);
    });
    if (marks_.size() != 0) collect_mark(pass, frame, row, seen == 0);
    if (again) return answer_again(pass, frame, job, behind);
    // The slot already has a later fragment, so this is an old copy that the network delayed.
    if (behind) return rmt::kDrop;
    const std::uint32_t before = count_.execute(pass, row, [&](std::uint32_t& count) {
      const std::uint32_t old = count;
      count = old + 1 == job.workers ? full(job) : old + 1;
      return old;
    });
    const bool first = before == 0;
    const bool complete = before + 1 == job.workers;
    values_.execute(pass, row, [&](std::int32_t* sum) { accumulate(sum, frame, first, complete); });
    note(first ? AggregatorEvent::allocated : AggregatorEvent::added, frame.job, frame.psn, row);
    if (!complete) return switchml_absorbed(frame.bytes);
    note(AggregatorEvent::completed, frame.job, frame.psn, row);
    if (job.level == TreeLevel::leaf) return hand_up(frame, job);
    note(AggregatorEvent::freed, frame.job, frame.psn, row);
    frame.kind = FrameKind::result;
    frame.destination = kAllWorkers;
    return switchml_answer(rmt::Verdict::Exit::multicast, frame.bytes);
  }

  /// Sends the packet, which carries the leaf's sum, to the root as the update of this branch.
  static rmt::Verdict hand_up(Frame& frame, const JobEntry& job) {
    frame.worker = job.branch;
    return switchml_answer(rmt::Verdict::Exit::up, frame.bytes);
  }

  /// Handles the root's result at a leaf. It replaces the sum of the leaf's workers and goes to all
  /// of them. If the leaf already has it, it is dropped: a worker that lacks it will ask for it.
  rmt::Verdict take_result(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job) {
    const std::uint32_t slot = slot_of(frame, job);
    const std::uint32_t row = row_of(frame, job);
    // The two versions hold the slot's latest fragment and the one before. Older results are late.
    const bool held_back = latest_.execute(
        pass, slot, [&](const Psn& latest) { return latest - frame.psn > job.slots; });
    if (held_back) return rmt::kDrop;
    exponents_.execute(pass, row,
                       [&](std::uint16_t& largest) { largest = frame.switchml().exponents; });
    if (marks_.size() != 0) {
      marks_.execute(pass, row, [&](bool& mark) { mark = frame.has(flag::ecn); });
    }
    const bool expected = count_.execute(pass, row, [&](std::uint32_t& count) {
      if (count != full(job)) return false;
      count = 0;
      return true;
    });
    if (!expected) return rmt::kDrop;
    values_.execute(pass, row, [&](std::int32_t* sum) {
      if (values_.width() != 0) std::copy_n(frame.values.data(), values_.width(), sum);
    });
    note(AggregatorEvent::freed, frame.job, frame.psn, row);
    frame.destination = kAllWorkers;
    return switchml_stored(frame.bytes);
  }

  /// Sets the ECN mark on the frame if any contribution to the slot so far had it. `first`: whether
  /// this is the first one. It comes from the bitmap, since a stage after the count does not fit.
  void collect_mark(rmt::Pass<Mode>& pass, Frame& frame, std::uint32_t row, bool first) {
    const bool marked = marks_.execute(
        pass, row, [&](bool& mark) { return mark = frame.has(flag::ecn) || (mark && !first); });
    if (marked) frame.set(flag::ecn);
  }

  void accumulate(std::int32_t* sum, Frame& frame, bool first, bool complete) {
    const std::size_t width = values_.width();
    if (width == 0) return;
    if (first) {
      std::copy_n(frame.values.data(), width, sum);
    } else {
      numeric::add_wrapping(sum, frame.values.data(), width);
    }
    if (complete && !first) copy_to_packet(sum, frame);
  }

  /// Lines 19 to 23: a retransmission is answered with the result if the slot is complete, and
  /// dropped otherwise. A leaf that still waits for the root's result sends its sum again instead.
  rmt::Verdict answer_again(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job, bool behind) {
    const std::uint32_t row = row_of(frame, job);
    note(AggregatorEvent::duplicate, frame.job, frame.psn, row);
    const std::uint32_t count =
        count_.execute(pass, row, [](const std::uint32_t& current) { return current; });
    if (count != 0 && count != full(job)) return switchml_absorbed(frame.bytes);
    // A late copy of an old fragment, whose result its worker has, and the slot no longer holds.
    if (count != 0 && behind) return rmt::kDrop;
    values_.execute(pass, row, [&](const std::int32_t* sum) {
      if (values_.width() != 0) copy_to_packet(sum, frame);
    });
    if (count != 0) return hand_up(frame, job);
    frame.kind = FrameKind::result;
    frame.destination = frame.source;
    return switchml_answer(rmt::Verdict::Exit::forward, frame.bytes);
  }

  void copy_to_packet(const std::int32_t* sum, Frame& frame) {
    frame.values = std::move(frame.values).into_unique();
    std::copy_n(sum, values_.width(), frame.values.data());
  }

  BOOST_DESCRIBE_CLASS(SwitchmlProgram, (), (), (),
                       (latest_, seen_, exponents_, count_, marks_, values_))

  rmt::RegisterArray<Psn, Mode> latest_;  // latest fragment of each slot
  rmt::RegisterArray<Seen, Mode> seen_;
  rmt::RegisterArray<std::uint16_t, Mode> exponents_;  // numeric::ExponentCode
  rmt::RegisterArray<std::uint32_t, Mode> count_;
  rmt::RegisterArray<bool, Mode> marks_;  // ECN marks; empty unless marks are collected
  rmt::ValueRegisters<Mode> values_;
};

}  // namespace ina::programs
