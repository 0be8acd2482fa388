// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/prefetchable.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/pass_by_pass.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/programs/value_passes.hpp"
#include "switch-models/programs/value_range.hpp"
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
///
/// If passes are separate, each part of a packet's values (64 of them, one pass) has a latest
/// fragment, a bitmap and a counter of its own, since the packet may be lost between two parts.
/// Only a packet that finds all parts complete returns a result.
template <class Mode = rmt::Fast>
class SwitchmlProgram final : public PassByPass<SwitchmlProgram<Mode>, Mode>,
                              public FramePrefetchable {
  using Base = PassByPass<SwitchmlProgram<Mode>, Mode>;
  friend Base;

 public:
  /// Parameters as for make_switchml().
  SwitchmlProgram(std::size_t slots, std::size_t width, bool collects_marks = false)
      : SwitchmlProgram(slots, width, collects_marks, rmt::Stages<Mode>([&] {
                          return declare_switchml(slots, std::max(width, kSwitchmlPairs),
                                                  collects_marks);
                        })) {}

  std::size_t width() const override { return values_.width(); }
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

  void visit_occupied(const SwitchProgram::OccupiedVisitor& visit) const override {
    const std::size_t rows_of_part = count_.size() / kParts;
    count_.for_each([&](std::uint32_t row, std::uint32_t count) {
      if (count == 0 || row >= rows_of_part) return;
      visit({row, this->job_of_slot(row / 2), std::nullopt});
    });
  }

 private:
  SwitchmlProgram(std::size_t slots, std::size_t width, bool collects_marks,
                  const rmt::Stages<Mode>& stages)
      : latest_(stages.of("latest"), "latest", kParts * slots),
        seen_(stages.of("seen"), "seen", kParts * slots),
        exponents_(stages.of("exponents"), "exponents", 2 * slots),
        count_(stages.of("count"), "count", kParts * 2 * slots),
        marks_(stages.of("marks"), "marks", collects_marks ? 2 * slots : 0),
        values_(stages.of("values"), 2 * slots, width) {}

  using Base::job_entry;
  using Base::note;
  using Base::reject;
  static constexpr bool kIsGuarded = rmt::kIsSeparate<Mode>;
  /// Number of parts whose registers a slot has: one for all values, or one per pass.
  static constexpr std::size_t kParts = kIsGuarded ? kSwitchmlChipValues / kSwitchmlPassValues : 1;

  using Seen = std::array<std::uint32_t, 2>;  // indexed by version

  /// State in which a packet finds a slot, or one part.
  enum class Found : std::uint8_t {
    incomplete,      ///< the sum lacks contributions, with the packet's own
    completed,       ///< by this packet
    complete,        ///< without this packet, which is sent again
    waits_for_root,  ///< complete at a leaf, which waits for the root's result
  };
  /// In Carry::notes: what the packet has found in the parts so far.
  static constexpr std::uint8_t kIncomplete = 1;
  static constexpr std::uint8_t kCompleted = 2;
  static constexpr std::uint8_t kWaitsForRoot = 4;
  static constexpr std::uint8_t kStored = 8;

  // Always inlined, as the functions that most packets take: the compiler would call them.
  [[gnu::always_inline]] rmt::Verdict first_pass(rmt::Pass<Mode>& pass, Frame& frame, Time) {
    const JobEntry& job = job_entry(frame.job);
    if (job.workers == 0) return reject();
    const bool from_root = is_from_root(frame, job);
    if (frame.kind != FrameKind::gradient && !from_root) return forward(frame);
    if (frame.switchml().slot >= job.slots) return reject();
    if (!from_root && frame.worker >= job.workers) return reject();
    return from_root ? take_result(pass, frame, job) : update(pass, frame, job);
  }

  /// Passes are numbered in Carry::step: one for each part, and then one for each harvest.
  rmt::Verdict further_pass(rmt::Pass<Mode>& pass, Frame& frame, Time) {
    const JobEntry& job = job_entry(frame.job);
    if (job.workers == 0) return reject();  // removed since the last pass
    if (pass.carry.step >= consume_passes(frame.bytes)) return harvest(pass, frame, job);
    return is_from_root(frame, job) ? take_result(pass, frame, job) : update(pass, frame, job);
  }

  static bool is_from_root(const Frame& frame, const JobEntry& job) {
    return frame.kind == FrameKind::result && job.level == TreeLevel::leaf;
  }

  /// The part of the values that this pass consumes; 0 if one pass consumes all.
  static std::uint32_t part_of(const rmt::Pass<Mode>& pass) {
    if constexpr (kIsGuarded) return pass.carry.step;
    return 0;
  }

  /// Resets the job's pool, including the shadow copies, to the initial state.
  std::uint64_t free_aggregators(JobId job) override {
    const JobEntry& entry = job_entry(job);
    std::uint64_t freed = 0;
    for (std::uint32_t slot = entry.first_slot; slot < entry.first_slot + entry.slots; ++slot) {
      for (const std::uint32_t row : {2 * slot, 2 * slot + 1}) {
        if (count_.peek(row) == 0) continue;
        note(AggregatorEvent::freed, job, latest_.peek(slot), row);
        ++freed;
      }
      for (std::uint32_t part = 0; part < kParts; ++part) reset(slot_of_part(slot, part));
    }
    return freed;
  }

  void reset(std::uint32_t slot) {
    count_.write(2 * slot, 0);
    count_.write(2 * slot + 1, 0);
    latest_.write(slot, 0);
    seen_.write(slot, {});
  }

  /// Index of a slot's registers for a part of the values.
  std::uint32_t slot_of_part(std::uint32_t slot, std::uint32_t part) const {
    return kIsGuarded ? slot + part * static_cast<std::uint32_t>(latest_.size() / kParts) : slot;
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

  [[gnu::always_inline]] rmt::Verdict update(rmt::Pass<Mode>& pass, Frame& frame,
                                             const JobEntry& job) {
    const std::uint32_t part = part_of(pass);
    const std::uint32_t slot = slot_of_part(slot_of(frame, job), part);
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
    if (part == 0) {
      std::uint16_t& exponents = frame.switchml().exponents;
      exponents = exponents_.execute(pass, row, [&](std::uint16_t& largest) {
        if (behind) return largest;
        return largest = seen == 0 ? exponents : std::max(largest, exponents);
      });
      if (marks_.size() != 0) collect_mark(pass, frame, row, seen == 0);
    }
    if (again) return answer_again(pass, frame, job, behind);
    // The slot already has a later fragment, so this is an old copy that the network delayed.
    if (behind) return rmt::kDrop;
    const std::uint32_t before =
        count_.execute(pass, row_of_part(frame, job, part), [&](std::uint32_t& count) {
          const std::uint32_t old = count;
          count = old + 1 == job.workers ? full(job) : old + 1;
          return old;
        });
    const bool first = before == 0;
    const bool complete = before + 1 == job.workers;
    const ValueRange answer = answer_of(pass, frame, complete);
    values_.execute(pass, row, [&](std::int32_t* sum) {
      accumulate(sum, frame, first, consumed_values(pass, frame));
      // A single contribution is its own sum.
      if (!first) fetch_sum(sum, frame, answer);
    });
    if (part == 0) {
      note(first ? AggregatorEvent::allocated : AggregatorEvent::added, frame.job, frame.psn, row);
      if (complete) note(AggregatorEvent::completed, frame.job, frame.psn, row);
      if (complete && job.level != TreeLevel::leaf) {
        note(AggregatorEvent::freed, frame.job, frame.psn, row);
      }
    }
    return after_part(pass, frame, job, complete ? Found::completed : Found::incomplete);
  }

  /// Lines 19 to 23: a retransmission is answered with the result if the slot is complete, and
  /// dropped otherwise. A leaf that still waits for the root's result sends its sum again instead.
  rmt::Verdict answer_again(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job, bool behind) {
    const std::uint32_t row = row_of(frame, job);
    const std::uint32_t part = part_of(pass);
    if (part == 0) note(AggregatorEvent::duplicate, frame.job, frame.psn, row);
    const std::uint32_t count = count_.execute(
        pass, row_of_part(frame, job, part), [](const std::uint32_t& current) { return current; });
    if (count != 0 && count != full(job)) {
      return after_part(pass, frame, job, Found::incomplete);
    }
    // A late copy of an old fragment, whose result its worker has, and the slot no longer holds.
    if (count != 0 && behind) return rmt::kDrop;
    const ValueRange answer = answer_of(pass, frame, true);
    values_.execute(pass, row, [&](const std::int32_t* sum) { fetch_sum(sum, frame, answer); });
    return after_part(pass, frame, job, count != 0 ? Found::waits_for_root : Found::complete);
  }

  std::uint32_t row_of_part(const Frame& frame, const JobEntry& job, std::uint32_t part) const {
    return 2 * slot_of_part(slot_of(frame, job), part) + (frame.switchml().version ? 1 : 0);
  }

  /// Ends a pass that has consumed a part of the values: the packet goes on to the next part, stays
  /// in the switch, or returns the result.
  rmt::Verdict after_part(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job, Found found) {
    if constexpr (!kIsGuarded) {
      if (found == Found::incomplete) return switchml_absorbed(frame.bytes);
      return switchml_answer(answer(frame, job, found), frame.bytes);
    } else {
      note_part(pass, found);
      const unsigned parts = consume_passes(frame.bytes);
      if (pass.carry.step + 1U < parts) return next_part(pass, bytes_after_part(pass, frame));
      if ((pass.carry.notes & kIncomplete) != 0) return rmt::kDrop;
      const rmt::Verdict::Exit exit = answer(frame, job, of_all_parts(pass.carry.notes));
      return parts == 0 ? rmt::Verdict{exit} : next_harvest(pass, frame, exit);
    }
  }

  /// Makes the packet the answer, and returns its exit.
  static rmt::Verdict::Exit answer(Frame& frame, const JobEntry& job, Found found) {
    const bool is_leafs_sum = found == Found::waits_for_root ||
                              (found == Found::completed && job.level == TreeLevel::leaf);
    if (is_leafs_sum) {
      frame.worker = job.branch;  // the update of this branch at the root
      return rmt::Verdict::Exit::up;
    }
    frame.kind = FrameKind::result;
    frame.destination = found == Found::completed ? kAllWorkers : frame.source;
    return exit_of(frame);
  }

  static rmt::Verdict::Exit exit_of(const Frame& answer) {
    if (answer.kind == FrameKind::gradient) return rmt::Verdict::Exit::up;
    return forward(answer).exit;
  }

  static void note_part(rmt::Pass<Mode>& pass, Found found) {
    if (found == Found::incomplete) pass.carry.notes |= kIncomplete;
    if (found == Found::completed) pass.carry.notes |= kCompleted;
    if (found == Found::waits_for_root) pass.carry.notes |= kWaitsForRoot;
  }
  static Found of_all_parts(std::uint8_t notes) {
    if ((notes & kCompleted) != 0) return Found::completed;
    return (notes & kWaitsForRoot) != 0 ? Found::waits_for_root : Found::complete;
  }

  static rmt::Verdict next_part(rmt::Pass<Mode>& pass, std::uint32_t bytes) {
    ++pass.carry.step;
    return {rmt::Verdict::Exit::drop, 0, 1, bytes};
  }
  static std::uint32_t bytes_after_part(const rmt::Pass<Mode>& pass, const Frame& frame) {
    return static_cast<std::uint32_t>(frame.bytes -
                                      4 * kSwitchmlPassValues * (pass.carry.step + 1));
  }

  /// Number of harvests so far. The pass that consumes the last part makes the first one.
  static unsigned harvested(const rmt::Pass<Mode>& pass, const Frame& frame) {
    return pass.carry.step + 1U - consume_passes(frame.bytes);
  }
  static rmt::Verdict next_harvest(rmt::Pass<Mode>& pass, const Frame& frame,
                                   rmt::Verdict::Exit exit) {
    const unsigned done = harvested(pass, frame) + 1;
    if (done == 2 * consume_passes(frame.bytes)) return {exit};
    ++pass.carry.step;
    return {exit, 0, 1, harvested_bytes(done)};
  }

  /// Reads a further share of the result. The packet is lost if its row has a later fragment.
  rmt::Verdict harvest(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job) {
    const unsigned done = harvested(pass, frame);
    const ValueRange share = harvested_values(frame, done);
    const std::uint32_t slot = slot_of_part(slot_of(frame, job), harvested_part(frame, done));
    if (is_overwritten(pass, slot, frame, job)) return rmt::kDrop;
    values_.execute(pass, row_of(frame, job),
                    [&](const std::int32_t* sum) { fetch_sum(sum, frame, share); });
    return next_harvest(pass, frame, exit_of(frame));
  }

  /// Whether the slot has a fragment later than the shadow copy of the packet's fragment. The two
  /// versions hold the slot's latest fragment and the one before.
  bool is_overwritten(rmt::Pass<Mode>& pass, std::uint32_t slot, const Frame& frame,
                      const JobEntry& job) {
    return latest_.execute(pass, slot,
                           [&](const Psn& latest) { return latest - frame.psn > job.slots; });
  }

  /// The part of which a harvest reads half: first the last one, whose pipe the packet is in.
  static unsigned harvested_part(const Frame& frame, unsigned harvest) {
    const unsigned parts = consume_passes(frame.bytes);
    return (parts - 1 + harvest / 2) % parts;
  }

  /// Handles the root's result at a leaf. It replaces the sum of the leaf's workers and goes to all
  /// of them. If the leaf already has it, it is dropped: a worker that lacks it will ask for it.
  rmt::Verdict take_result(rmt::Pass<Mode>& pass, Frame& frame, const JobEntry& job) {
    const std::uint32_t part = part_of(pass);
    const std::uint32_t row = row_of(frame, job);
    // Older results are late.
    if (is_overwritten(pass, slot_of_part(slot_of(frame, job), part), frame, job)) {
      return rmt::kDrop;
    }
    if (part == 0) {
      exponents_.execute(pass, row,
                         [&](std::uint16_t& largest) { largest = frame.switchml().exponents; });
      if (marks_.size() != 0) {
        marks_.execute(pass, row, [&](bool& mark) { mark = frame.has(flag::ecn); });
      }
    }
    const bool expected =
        count_.execute(pass, row_of_part(frame, job, part), [&](std::uint32_t& count) {
          if (count != full(job)) return false;
          count = 0;
          return true;
        });
    if (expected) {
      values_.execute(pass, row, [&](std::int32_t* sum) {
        begin_sum(sum, frame, consumed_values(pass, frame));
      });
      if (part == 0) note(AggregatorEvent::freed, frame.job, frame.psn, row);
    }
    return after_stored_part(pass, frame, expected);
  }

  /// Ends a pass that has stored a part of the root's result at a leaf, if the leaf `expected` it.
  static rmt::Verdict after_stored_part(rmt::Pass<Mode>& pass, Frame& frame, bool expected) {
    bool stored = expected;
    if constexpr (kIsGuarded) {
      if (expected) pass.carry.notes |= kStored;
      if (pass.carry.step + 1U < consume_passes(frame.bytes)) return next_part(pass, frame.bytes);
      stored = (pass.carry.notes & kStored) != 0;
    }
    if (!stored) return rmt::kDrop;
    frame.destination = kAllWorkers;
    return kIsGuarded ? rmt::kMulticast : switchml_stored(frame.bytes);
  }

  /// The values that a pass consumes.
  ValueRange consumed_values(const rmt::Pass<Mode>& pass, const Frame& frame) const {
    const unsigned parts = kIsGuarded ? consume_passes(frame.bytes) : 0;
    return parts == 0 ? ValueRange{0, width()} : part_values(part_of(pass), parts);
  }
  ValueRange part_values(unsigned part, unsigned parts) const {
    const std::size_t begin = width() * part / parts;
    return {begin, width() * (part + 1) / parts - begin};
  }

  /// The sums that a packet takes along in a pass that consumes values. `complete`: whether this
  /// part of the sum is.
  ValueRange answer_of(const rmt::Pass<Mode>& pass, const Frame& frame, bool complete) const {
    if (!complete) return {0, 0};
    if constexpr (kIsGuarded) {
      const unsigned parts = consume_passes(frame.bytes);
      if (pass.carry.step + 1U < parts || (pass.carry.notes & kIncomplete) != 0) return {0, 0};
      if (parts != 0) return harvested_values(frame, 0);
    }
    return {0, width()};
  }

  /// The values of a harvest: half of a part.
  ValueRange harvested_values(const Frame& frame, unsigned harvest) const {
    const ValueRange part =
        part_values(harvested_part(frame, harvest), consume_passes(frame.bytes));
    const std::size_t first = (part.count + 1) / 2;
    if (harvest % 2 == 0) return {part.begin, first};
    return {part.begin + first, part.count - first};
  }

  /// Sets the ECN mark on the frame if any contribution to the slot so far had it. `first`: whether
  /// this is the first one. It comes from the bitmap, since a stage after the count does not fit.
  void collect_mark(rmt::Pass<Mode>& pass, Frame& frame, std::uint32_t row, bool first) {
    const bool marked = marks_.execute(
        pass, row, [&](bool& mark) { return mark = frame.has(flag::ecn) || (mark && !first); });
    if (marked) frame.set(flag::ecn);
  }

  static void accumulate(std::int32_t* sum, const Frame& frame, bool first, ValueRange range) {
    if (first) {
      begin_sum(sum, frame, range);
    } else if (range.count != 0) {
      numeric::add_wrapping(sum + range.begin, frame.values.data() + range.begin, range.count);
    }
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
