// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/mutants.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/transport/peer_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "hw/protocol/wire/flow.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "tests/exploration/program_state.hpp"

namespace ina::exploration {

namespace {

using programs::SwitchProgram;
using rmt::Verdict;

using Switchml = programs::SwitchmlProgram<rmt::Checked>;
using Atp = programs::AtpProgram<rmt::Checked>;
template <class Policy>
using Dsa = programs::DsaProgram<Policy, rmt::Checked>;

bool keep(Frame&, SwitchProgram&) { return false; }
void leave(const Frame&, Frame&, Verdict&) {}

/// A completed slot stops answering retransmissions.
void drop_shadow_copy(const Frame&, Frame& frame, Verdict& verdict) {
  const bool answer = frame.kind == FrameKind::result && verdict.exit == Verdict::Exit::forward;
  if (answer) verdict = rmt::kDrop;
}

/// A leaf forgets its latest fragment when a result arrives, so it accepts results in any order.
/// Updates are not affected.
bool forget_latest_fragment(Frame& frame, SwitchProgram& program) {
  auto& latest = member<"latest_">(static_cast<Switchml&>(program));
  const Psn forgotten = frame.kind == FrameKind::result ? frame.psn : 0;
  for (std::size_t i = 0; i < latest.size(); ++i) member<"cells_">(latest)[i] = forgotten;
  return false;
}

/// The packet's worker is recorded as not having contributed yet.
bool forget_seen(Frame& frame, SwitchProgram& program) {
  auto& seen = member<"seen_">(static_cast<Switchml&>(program));
  const std::size_t version = frame.switchml().version ? 1 : 0;
  member<"cells_">(seen)[frame.switchml().slot][version] &= ~(1U << frame.worker);
  return false;
}

/// A leaf answers its workers although the sum lacks the other leaves' workers.
void answer_at_the_leaf(const Frame&, Frame& frame, Verdict& verdict) {
  if (verdict.exit != Verdict::Exit::up) return;
  frame.kind = FrameKind::result;
  frame.destination = kAllWorkers;
  verdict.exit = Verdict::Exit::multicast;
}

std::uint32_t row_of(const Frame& frame) {
  return 2 * frame.switchml().slot + (frame.switchml().version ? 1 : 0);
}

/// A leaf sends its sum up only once, and waits for the result even if it got lost.
bool send_up_once(Frame& frame, SwitchProgram& program) {
  if (frame.kind != FrameKind::gradient) return false;
  const std::uint32_t row = row_of(frame);
  auto& seen = member<"seen_">(static_cast<Switchml&>(program));
  const bool again = (member<"cells_">(seen)[row / 2][row % 2] >> frame.worker & 1U) != 0;
  return again && member<"count_">(static_cast<Switchml&>(program)).peek(row) != 0;
}

/// The next fragment of a slot destroys the result of the one before.
bool forget_the_other_version(Frame& frame, SwitchProgram& program) {
  if (frame.kind != FrameKind::gradient) return false;
  auto& switchml = static_cast<Switchml&>(program);
  const bool begins = frame.psn > member<"latest_">(switchml).peek(frame.switchml().slot);
  if (begins) poison_cell(member<"values_">(switchml), row_of(frame) ^ 1U);
  return false;
}

/// A retransmission is answered from the slot's other row.
void answer_for_the_other_version(const Frame&, Frame& frame, Verdict& verdict) {
  const bool answer = frame.kind == FrameKind::result && verdict.exit == Verdict::Exit::forward;
  if (!answer) return;
  frame.switchml().version = !frame.switchml().version;
}

/// A leaf stores a result that the network delayed.
bool take_any_result(Frame& frame, SwitchProgram& program) {
  auto& latest = member<"latest_">(static_cast<Switchml&>(program));
  if (frame.kind == FrameKind::result) latest.write(frame.switchml().slot, frame.psn);
  return false;
}

std::uint16_t& largest_exponent(const Frame& frame, SwitchProgram& program) {
  auto& exponents = member<"exponents_">(static_cast<Switchml&>(program));
  const std::uint32_t version = frame.switchml().version ? 1 : 0;
  return member<"cells_">(exponents)[2 * frame.switchml().slot + version];
}

/// The last worker's exponent replaces the largest one.
bool keep_the_last_exponent(Frame& frame, SwitchProgram& program) {
  largest_exponent(frame, program) = 0;
  return false;
}

/// The first worker's exponent is compared with the exponent of the fragment two before.
bool keep_an_old_exponent(Frame& frame, SwitchProgram& program) {
  auto& seen = member<"seen_">(static_cast<Switchml&>(program));
  const std::size_t version = frame.switchml().version ? 1 : 0;
  const bool first = member<"cells_">(seen)[frame.switchml().slot][version] == 0;
  if (first)
    frame.switchml().exponents =
        std::max(frame.switchml().exponents, largest_exponent(frame, program));
  return false;
}

/// The answer to a retransmission has the values but not the exponent.
void forget_the_exponent_of_the_shadow_copy(const Frame&, Frame& frame, Verdict& verdict) {
  const bool answer = frame.kind == FrameKind::result && verdict.exit == Verdict::Exit::forward;
  if (answer) frame.switchml().exponents = 0;
}

/// A worker continues with the exponent of the previous fragment.
void take_a_stale_exponent(WorkerTransport& worker, const Frame& frame, Time now) {
  auto& exponents = member<"exponents_">(static_cast<SwitchmlWorker&>(worker));
  const numeric::ExponentCode before = exponents.lead(frame.psn) == 0 ? 0 : exponents.of(frame.psn);
  worker.receive(frame, now);
  if (before != 0 && exponents.lead(frame.psn) != 0) exponents.agree(frame.psn, before);
}

template <class Program>
bool forget_bitmap(Frame& frame, SwitchProgram& program) {
  if (frame.kind != FrameKind::gradient) return false;
  auto& bitmap = member<"bitmap_">(static_cast<Program&>(program));
  const bool above = frame.has(flag::second_level);
  member<"cells_">(bitmap)[frame.aggregator().index] &=
      ~(above ? frame.aggregator().bitmap1 : frame.aggregator().bitmap0);
  return false;
}

/// The aggregator is freed before the sum is read, so the sum is undefined.
void free_before_multicast(const Frame& came, Frame& frame, Verdict& verdict) {
  const bool completes =
      came.kind == FrameKind::gradient && verdict.exit == Verdict::Exit::multicast;
  if (completes) *frame.values.data() = kPoison;
}

/// An evicted sum leaves with the bitmap of the packet that evicted it.
void forget_evicted_bitmap(const Frame& came, Frame& frame, Verdict&) {
  const bool evicted =
      frame.has(flag::partial) && !came.has(flag::partial) && came.kind == FrameKind::gradient;
  if (evicted) frame.aggregator().bitmap0 = came.aggregator().bitmap0;
}

bool drop_reminder(Frame& frame, SwitchProgram&) { return frame.kind == FrameKind::reminder; }

/// A worker's retransmission looks like a first transmission.
bool forget_resend(Frame& frame, SwitchProgram&) {
  const bool retransmission = frame.kind == FrameKind::gradient && !frame.has(flag::answer);
  if (retransmission) frame.clear(flag::resend);
  return false;
}

/// A parameter packet does not free the aggregator of its task, because the switch takes it for
/// another task's.
constexpr Psn kAnotherTask = 1U << 31;
bool forget_to_free(Frame& frame, SwitchProgram&) {
  if (frame.kind == FrameKind::result) frame.psn ^= kAnotherTask;
  return false;
}
void remember_the_task(const Frame& came, Frame& frame, Verdict&) {
  if (came.kind == FrameKind::result) frame.psn ^= kAnotherTask;
}

/// A frame that leaves for the server no longer shows that it overflowed, so the server delivers
/// it.
void hide_overflow(const Frame& came, Frame& frame, Verdict&) {
  if (came.kind != FrameKind::gradient || came.has(flag::floats)) return;
  constexpr std::int32_t kSaturated = std::numeric_limits<std::int32_t>::max();
  if (*frame.values.data() != kSaturated) return;
  frame.values = std::move(frame.values).into_unique();
  *frame.values.data() = kSaturated - 1;
}

/// Late integers of a worker are added to the floats of their task.
void take_integers_for_floats(Frame& frame, ParameterServer& server) {
  const auto& floats = member<"floats_">(static_cast<AtpServer&>(server));
  if (frame.kind == FrameKind::gradient && floats.collects(frame.psn)) frame.set(flag::floats);
}

/// A worker's floats are added to the integers of their task.
bool add_floats(Frame& frame, SwitchProgram&) {
  if (frame.kind == FrameKind::gradient) frame.clear(flag::floats);
  return false;
}

/// The second level takes part of a rack for the whole rack.
bool add_up_resends_at_the_second_level(Frame& frame, SwitchProgram&) {
  const bool above = frame.kind == FrameKind::gradient && frame.has(flag::second_level);
  if (above) frame.clear(flag::resend);
  return false;
}

/// The second level adds a packet that collided at the first level as if it were its rack's sum.
void add_up_after_a_collision(const Frame& came, Frame& frame, Verdict&) {
  const bool collided = frame.has(flag::collision) && !came.has(flag::collision);
  if (collided) frame.clear(flag::resend);
}

/// A frame that leaves a leaf looks like a worker's own packet.
void forget_the_second_level(const Frame& came, Frame& frame, Verdict&) {
  if (!came.has(flag::second_level)) frame.clear(flag::second_level);
}

/// Results without a collision do not name the aggregator that the entry continues with.
bool name_it_after_a_collision_only(Frame& frame, SwitchProgram&) {
  const bool names = frame.kind == FrameKind::result && frame.has(flag::new_index);
  if (names && !frame.has(flag::collision)) {
    frame.clear(flag::new_index);
    frame.aggregator().bitmap0 = 0;
  }
  return false;
}

/// Whether a leaf's frame completed its sum: the frame that goes out contains all of its workers.
bool completes_at_leaf(const Frame& came, const Frame& frame) {
  return frame.has(flag::second_level) && !came.has(flag::second_level);
}

/// A leaf's aggregator keeps the sum that it forwarded, as in ATP.
void keep_what_is_handed_on(const Frame& came, const Frame& frame, SwitchProgram& program) {
  if (!completes_at_leaf(came, frame)) return;
  auto& task = member<"task_">(static_cast<Dsa<policies::Fcfs>&>(program));
  member<"cells_">(task)[frame.aggregator().index].valid = true;
}

/// A leaf answers its workers with its own sum.
void answer_at_leaf(const Frame& came, Frame& frame, Verdict& verdict) {
  if (!completes_at_leaf(came, frame)) return;
  frame.kind = FrameKind::result;
  frame.destination = kAllWorkers;
  verdict.exit = Verdict::Exit::multicast;
}

/// A leaf forwards a retransmission as if it were the sum of all its workers.
void pass_a_part_on_as_the_sum(const Frame& came, Frame& frame, Verdict&) {
  const bool is_part = frame.kind == FrameKind::gradient && frame.has(flag::resend) &&
                       frame.aggregator().bitmap1 != 0 && !came.has(flag::second_level) &&
                       !frame.has(flag::partial);
  if (!is_part) return;
  frame.set(flag::second_level);
  frame.aggregator().bitmap0 = 0;
}

/// A branch that the root has already added is added once more.
bool add_a_branch_again(Frame& frame, SwitchProgram& program) {
  return frame.has(flag::second_level) && forget_bitmap<Dsa<policies::Fcfs>>(frame, program);
}

/// The root drops reminders on their way to a leaf.
bool drop_reminders_of_leaves(Frame& frame, SwitchProgram&) {
  return frame.kind == FrameKind::reminder && frame.source != frame.destination;
}

/// An evicted sum goes to the server of the packet that evicted it.
void keep_the_destination(const Frame& came, Frame& frame, Verdict&) {
  const bool evicted = frame.has(flag::partial) && !came.has(flag::partial);
  if (evicted) frame.destination = came.destination;
}

bool never_expire(Frame&, SwitchProgram& program) {
  auto& timestamp = member<"timestamp_">(static_cast<Dsa<policies::Fcfs>&>(program));
  for (std::size_t i = 0; i < timestamp.size(); ++i) member<"cells_">(timestamp)[i] = Time::max();
  return false;
}

/// A worker's duplicated gradient is added twice.
void add_again(Frame& frame, ParameterServer& server) {
  auto& entries = member<"entries_">(server);
  const auto entry = entries.find(frame.psn);
  if (frame.kind == FrameKind::gradient && entry != entries.end()) {
    auto& bitmap = member<"bitmap_">(entry->second.workers);
    member<"count_">(entry->second.workers) -=
        static_cast<std::uint32_t>(std::popcount(bitmap & frame.aggregator().bitmap0));
    bitmap &= ~frame.aggregator().bitmap0;
  }
}

auto& peer_of(const Frame& frame, PeerWorker& worker) {
  auto& peers = member<"peers_">(worker);
  return *std::ranges::find_if(peers, [&](const auto& peer) { return peer.host == frame.source; });
}

/// All-reduces: a duplicated frame is processed twice.
void take_again(WorkerTransport& worker, const Frame& frame, Time now) {
  auto& receiver = peer_of(frame, static_cast<PeerWorker&>(worker)).receiver;
  const std::uint32_t sequence = frame.flow().sequence;
  const bool again = frame.kind != FrameKind::acknowledgement && receiver.has(sequence);
  const FlowReceiver before = receiver;
  if (again) {
    member<"next_">(receiver) = sequence;
    std::ranges::fill(member<"words_">(receiver), 0);
  }
  worker.receive(frame, now);
  if (again) receiver = before;
}

/// All-reduces: an acknowledgement is taken to cover all earlier frames, too.
void believe_that_all_came(WorkerTransport& worker, const Frame& frame, Time now) {
  Frame believed = frame;
  if (frame.kind == FrameKind::acknowledgement) {
    const std::uint32_t next = frame.flow().sequence + 1;
    if (wire::is_before(frame.flow().acknowledged_before, next))
      believed.flow().acknowledged_before = next;
  }
  worker.receive(believed, now);
}

/// All-reduces: a frame that arrives before its tensor was submitted is acknowledged and lost.
void forget_what_is_held(WorkerTransport& worker, const Frame& frame, Time now) {
  worker.receive(frame, now);
  member<"held_">(static_cast<PeerWorker&>(worker)).clear();
  peer_of(frame, static_cast<PeerWorker&>(worker)).held = 0;
}

/// All-reduces: a frame for which there is no room is acknowledged.
void acknowledge_what_is_refused(WorkerTransport& worker, const Frame& frame, Time now) {
  auto& peer = peer_of(frame, static_cast<PeerWorker&>(worker));
  const auto& active = member<"active_">(static_cast<PeerWorker&>(worker));
  const auto holds = [&](const auto& one) { return one.holds(frame.psn); };
  const std::uint32_t sequence = frame.flow().sequence;
  const bool refused = frame.kind != FrameKind::acknowledgement &&
                       std::ranges::none_of(active, holds) && peer.held > 0 &&
                       peer.receiver.reaches(sequence) && !peer.receiver.has(sequence);
  if (refused) peer.receiver.take(sequence);
  worker.receive(frame, now);
}

constexpr Mutant at_worker(std::string_view name, std::string_view configuration,
                           std::string_view failure,
                           void (*mistake)(WorkerTransport&, const Frame&, Time)) {
  Mutant mutant{name, configuration, failure, keep, leave};
  mutant.at_worker = mistake;
  return mutant;
}

constexpr Mutant at_server(std::string_view name, std::string_view configuration,
                           std::string_view failure, void (*mistake)(Frame&, ParameterServer&)) {
  Mutant mutant{name, configuration, failure, keep, leave};
  mutant.at_server = mistake;
  return mutant;
}

/// A worker sends all its fragments to the first server of its job.
constexpr Mutant at_worker_of_one_server(std::string_view name, std::string_view configuration) {
  Mutant mutant{name, configuration, "refuses what a member", keep, leave};
  mutant.knows_the_first_server_only = true;
  return mutant;
}

constexpr Mutant in_control(std::string_view name, std::string_view configuration,
                            std::string_view failure, testing::MakeControlMistake make_mistake) {
  Mutant mutant{name, configuration, failure, keep, leave};
  mutant.make_control_mistake = make_mistake;
  return mutant;
}

/// Jobs that the reboot ends are assumed to continue at the rebooted switch.
constexpr Mutant lost_with_the_switch(std::string_view name, std::string_view configuration,
                                      std::string_view failure) {
  Mutant mutant{name, configuration, failure, keep, leave};
  mutant.jobs_survive_reboots = true;
  return mutant;
}

using policies::Fcfs;

constexpr Mutant at_leaf_of_dsa_that_never_frees() {
  Mutant mutant{"dsa-leaf-never-frees", "dsa-fcfs-w3-l1-u1-a1-f1-k0-t0", "aggregators are in use",
                forget_to_free, remember_the_task};
  mutant.afterwards = keep_what_is_handed_on;
  return mutant;
}

/// Both halves of an aggregator have one bitmap, as if nothing came between the passes of a packet.
template <class Program>
bool share_the_bitmap(Frame& frame, SwitchProgram& program) {
  auto& of = static_cast<Program&>(program);
  auto& halves = member<"second_half_">(of);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const std::uint32_t others = cell_of(member<"bitmap_">(of), i) & ~(1U << frame.worker);
    cell_of(halves, i) = {cell_of(member<"generation_">(of), i), others};
  }
  return false;
}

/// Each part of SwitchML's packets has the bitmap and the count of the first one, as if no packet
/// got lost between two passes.
bool share_the_first_part(Frame& frame, SwitchProgram& program) {
  auto& of = static_cast<programs::SwitchmlProgram<rmt::CheckedSeparate>&>(program);
  auto& seen = member<"seen_">(of);
  const std::size_t slots = member<"exponents_">(of).size() / 2;
  for (std::size_t i = slots; i < seen.size(); ++i) {
    for (const std::size_t version : {0, 1}) {
      const std::uint32_t others = cell_of(seen, i % slots)[version] & ~(1U << frame.worker);
      cell_of(seen, i)[version] = others;
      cell_of(member<"count_">(of), 2 * i + version) = std::popcount(others);
    }
  }
  return false;
}

constexpr Mutant kMutants[] = {
    {"switchml-share-the-bitmap-of-all-parts", "switchml-w2-a1-f1-k1-t1-z1", "wrong sum",
     share_the_first_part, leave},
    {"atp-share-the-bitmap-of-both-halves", "atp-w2-a1-f1-k0-t0-z1", "wrong sum",
     share_the_bitmap<programs::AtpProgram<rmt::CheckedSeparate>>, leave},
    {"dsa-share-the-bitmap-of-both-halves", "dsa-fcfs-w2-a1-f1-k0-t0-z1", "wrong sum",
     share_the_bitmap<programs::DsaProgram<policies::Fcfs, rmt::CheckedSeparate>>, leave},
    {"switchml-drop-the-shadow-copy", "switchml-w2-a1-f1-k1-t1", "goes round in circles", keep,
     drop_shadow_copy},
    {"switchml-skip-the-bitmap-test", "switchml-w2-a1-f1-k0-t1", "wrong sum", forget_seen, leave},
    {"switchml-forget-the-latest-fragment", "switchml-w2-a1-f3-k0-t0-d1", "aggregators are in use",
     forget_latest_fragment, leave},
    {"switchml-keep-the-last-exponent", "switchml-w2-a1-f2-k0-t0-x1", "by the exponent",
     keep_the_last_exponent, leave},
    {"switchml-keep-an-old-exponent", "switchml-w2-a1-f3-k0-t0-x1", "by the exponent",
     keep_an_old_exponent, leave},
    {"switchml-shadow-copy-without-exponent", "switchml-w2-a1-f1-k1-t1-x1", "by the exponent", keep,
     forget_the_exponent_of_the_shadow_copy},
    at_worker("switchml-take-a-stale-exponent", "switchml-w2-a1-f2-k0-t0-x1", "by the exponent",
              take_a_stale_exponent),
    {"switchml-answer-at-the-leaf", "switchml-w2-l2-a1-f1-k0-t0", "wrong sum", keep,
     answer_at_the_leaf},
    {"switchml-send-up-once", "switchml-w2-l2-a1-f1-k1-t0", "goes round in circles", send_up_once,
     leave},
    {"switchml-forget-the-other-version", "switchml-w3-l1-u1-a1-f2-k1-t1", "wrong sum",
     forget_the_other_version, leave},
    {"switchml-root-answers-for-the-other-version", "switchml-w2-l2-a1-f1-k1-t0",
     "goes round in circles", keep, answer_for_the_other_version},
    {"switchml-leaf-takes-a-late-result", "switchml-w2-l2-a1-f3-k0-t0-d1", "wrong sum",
     take_any_result, leave},
    {"atp-skip-the-bitmap-test", "atp-w2-a1-f1-k0-t0-d1", "wrong sum", forget_bitmap<Atp>, leave},
    {"atp-rto-without-resend", "atp-w2-a1-f1-k1-t1", "", forget_resend, leave},
    {"atp-forget-to-free", "atp-w2-a2-f1-k0-t0", "aggregators are in use", forget_to_free,
     remember_the_task},
    {"atp-hide-the-overflow", "atp-w2-a1-f1-k0-t0-o1", "wrong sum", keep, hide_overflow},
    at_server("atp-take-integers-for-floats", "atp-w2-a1-f1-k0-t2-o1", "wrong sum",
              take_integers_for_floats),
    {"atp-floats-without-their-flag", "atp-w2-a1-f1-k0-t0-o1", "goes round in circles", add_floats,
     leave},
    {"atp-add-up-resends-at-the-second-level", "atp-w3-l1-u1-a1-f1-k0-t1", "wrong sum",
     add_up_resends_at_the_second_level, leave},
    {"atp-add-up-after-a-collision", "atp-w3-l1-u1-a1-f2-k0-t0", "wrong sum", keep,
     add_up_after_a_collision},
    {"atp-forget-the-second-level", "atp-w2-l2-a1-f1-k0-t0", "refuses what a member", keep,
     forget_the_second_level},
    {"atp-name-the-aggregator-after-a-collision-only", "atp-w2-a2-m1-f2-k1-t0-d1-q1",
     "addresses other aggregators", name_it_after_a_collision_only, leave},
    {"dsa-skip-the-bitmap-test", "dsa-fcfs-w2-a1-f1-k0-t1", "wrong sum", forget_bitmap<Dsa<Fcfs>>,
     leave},
    {"dsa-free-before-multicast", "dsa-priority-w2-a1-f1-k0-t0", "wrong sum", keep,
     free_before_multicast},
    {"dsa-forget-an-evicted-bitmap", "dsa-always-preempt-w3-a1-f2-k0-t0", "wrong sum", keep,
     forget_evicted_bitmap},
    {"dsa-no-reminder", "dsa-priority-w2-a1-f2-k0-t1", "goes round in circles", drop_reminder,
     leave},
    {"dsa-never-expire", "dsa-fcfs-w2-a1-f1-k0-t0-d1", "stays in use for ever", never_expire,
     leave},
    {"dsa-forget-complete-tensors", "dsa-priority-w2-a1-f1-n2-k1-t0", "goes round in circles", keep,
     leave, true},
    {"training-early-forward", "switchml-w2-a2-f2-i2-k0-t0", "a result outside of iteration", keep,
     leave, false, true},
    {"dsa-name-the-aggregator-after-a-collision-only", "dsa-fcfs-w2-a2-m1-f2-k1-t0-d1-q1",
     "addresses other aggregators", name_it_after_a_collision_only, leave},
    {"dsa-rto-without-resend", "dsa-fcfs-w2-a1-f1-k0-t1", "aggregators are in use", forget_resend,
     leave},
    at_leaf_of_dsa_that_never_frees(),
    {"dsa-leaf-answers-its-workers", "dsa-fcfs-w3-l1-u1-a1-f1-k0-t0", "wrong sum", keep,
     answer_at_leaf},
    {"dsa-leaf-passes-a-part-on-as-its-sum", "dsa-priority-w3-l1-u1-a1-f1-k1-t2", "wrong sum", keep,
     pass_a_part_on_as_the_sum},
    {"dsa-forget-the-second-level", "dsa-fcfs-w3-l1-u1-a1-f1-k0-t0", "refuses what a member", keep,
     forget_the_second_level},
    {"dsa-root-adds-a-branch-again", "dsa-fcfs-w3-l1-u1-a1-f1-k0-t0-d1", "wrong sum",
     add_a_branch_again, leave},
    {"dsa-reminder-reaches-the-root-only", "dsa-priority-w2-l1-u1-a1-f2-k0-t1",
     "goes round in circles", drop_reminders_of_leaves, leave},
    {"dsa-evict-to-another-server", "dsa-always-preempt-w3-l1-u1-y2-a1-f2-k0-t0",
     "refuses what a member", keep, keep_the_destination},
    at_worker_of_one_server("atp-send-all-to-the-first-server", "atp-w2-y2-a1-f2-k0-t0"),
    at_worker_of_one_server("ps-send-all-to-the-first-server", "ps-w2-y2-f2-k0-t0"),
    at_server("ps-add-a-gradient-again", "ps-w3-f1-k0-t1", "wrong sum", add_again),
    at_worker("byteps-take-a-frame-again", "byteps-w3-f1-k0-t1", "wrong sum", take_again),
    at_worker("ring-take-a-frame-again", "ring-w2-f2-k0-t1", "twice", take_again),
    at_worker("ring-believe-that-all-came", "ring-w2-f4-k1-t0", "waits for ever",
              believe_that_all_came),
    at_worker("ring-forget-what-is-held", "ring-w2-f2-i2-k0-t0-s1", "waits for ever",
              forget_what_is_held),
    at_worker("ring-acknowledge-what-is-refused", "ring-w2-f4-i2-h1-k0-t0-s1", "waits for ever",
              acknowledge_what_is_refused),
    in_control("control-same-id", "switchml-w2-a1-f1-k0-t0-b1", "wrong sum", testing::make_same_id),
    in_control("control-later-iteration", "switchml-w2-a1-f1-i2-k0-t0-b1", "skips an iteration",
               testing::make_later_iteration),
    lost_with_the_switch("control-jobs-survive-reboots", "switchml-w2-a1-f1-k1-t0-b1",
                         "goes round in circles"),
    in_control("control-empty-switch", "atp-w2-a1-f1-k0-t0-b1", "goes round in circles",
               testing::make_empty_switch),
    in_control("control-forgotten-switch", "atp-w2-a1-f1-k0-t0-c1", "aggregators are in use",
               testing::make_forgotten_switch),
    in_control("control-old-server", "atp-w2-a1-f1-k0-t0-c1", "goes round in circles",
               testing::make_old_server),
};

class MutantProgram final : public SwitchProgram, private programs::AggregatorObserver {
 public:
  MutantProgram(const Mutant& mutant, std::unique_ptr<SwitchProgram> program)
      : mutant_(mutant), program_(std::move(program)) {
    program_->set_observer(this);
  }

  Verdict process(Frame& frame, Time now) override {
    return run(frame, [&] { return program_->process(frame, now); });
  }
  bool separates_passes() const override { return program_->separates_passes(); }
  Verdict pass(Frame& frame, rmt::Carry& carry, Time now) override {
    return run(frame, [&] { return program_->pass(frame, carry, now); });
  }
  bool is_active() const override { return program_->is_active(); }
  Verdict next(Frame& out, Time now) override { return program_->next(out, now); }
  Time deadline() const override { return program_->deadline(); }
  void expire(Time now) override { program_->expire(now); }
  void visit_occupied(const OccupiedVisitor& visit) const override {
    program_->visit_occupied(visit);
  }
  SwitchProgram& real() const { return *program_; }

 private:
  template <class Handle>
  Verdict run(Frame& frame, Handle&& handle) {
    for (std::size_t job = 0; job < jobs_end(); ++job) {
      program_->install_job(static_cast<JobId>(job), job_entry(static_cast<JobId>(job)));
    }
    if (mutant_.before(frame, *program_)) return rmt::kDrop;
    const Frame came = frame;
    Verdict verdict = handle();
    mutant_.after(came, frame, verdict);
    mutant_.afterwards(came, frame, *program_);
    return verdict;
  }

  std::uint64_t free_aggregators(JobId job) override { return program_->remove_job(job); }
  void aggregator_event(programs::AggregatorEvent event, JobId job, Psn psn,
                        std::uint32_t aggregator_index) override {
    note(event, job, psn, aggregator_index);
  }

  const Mutant& mutant_;
  std::unique_ptr<SwitchProgram> program_;
};

/// Completes a tensor in the training loop as soon as its first fragment arrives.
class EarlyCompletion final : public ResultSink {
 public:
  EarlyCompletion(ResultSink& loop, std::uint32_t psns_per_tensor)
      : loop_(loop), psns_per_tensor_(psns_per_tensor) {}
  void fragment_complete(const Frame& result, const Delivery& delivery, Time now) override {
    loop_.fragment_complete(result, delivery, now);
    if (result.psn % psns_per_tensor_ == 0) loop_.tensor_complete(result.psn, now);
  }
  void tensor_complete(Psn, Time) override {}

 private:
  ResultSink& loop_;
  std::uint32_t psns_per_tensor_;
};

/// The real system, apart from the mistake.
class MutantSystem final : public System {
 public:
  MutantSystem(const Mutant& mutant, const Configuration& configuration,
               std::unique_ptr<System> system)
      : mutant_(mutant),
        psns_per_tensor_(configuration.psns_per_tensor()),
        system_(std::move(system)) {}

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                               ResultSink& sink) override {
    WorkerIdentity mistaken = identity;
    if (mutant_.knows_the_first_server_only) mistaken.servers = identity.servers.host(0);
    if (!mutant_.completes_early) return system_->make_worker(mistaken, sink);
    early_.push_back(std::make_unique<EarlyCompletion>(sink, psns_per_tensor_));
    return system_->make_worker(mistaken, *early_.back());
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) override {
    return system_->make_server(identity);
  }
  std::unique_ptr<SwitchProgram> make_program() override {
    return make_mutant_program(mutant_, system_->make_program());
  }
  cluster::ControlPlane::Config taken_for(
      const cluster::ControlPlane::Config& cluster) const override {
    cluster::ControlPlane::Config config = cluster;
    if (mutant_.jobs_survive_reboots) config.jobs_survive_reboots = true;
    return config;
  }
  std::unique_ptr<cluster::ControlWorld> make_control_mistake(
      cluster::ControlWorld& world) override {
    const auto make = mutant_.make_control_mistake;
    return make == nullptr ? nullptr : make(world);
  }
  Tensor changed(const Tensor& tensor) const override {
    Tensor result = tensor;
    if (mutant_.forgets_tensors) result.low_watermark = tensor.first_psn;
    return result;
  }
  std::size_t timers(WorkerTransport& worker) const override { return system_->timers(worker); }
  void let_fire(WorkerTransport& worker, std::size_t timer, Time now) override {
    system_->let_fire(worker, timer, now);
  }
  void receive(ParameterServer& server, Frame&& frame, Time now) override {
    mutant_.at_server(frame, server);
    system_->receive(server, std::move(frame), now);
  }
  void receive(WorkerTransport& worker, const Frame& frame, Time now) override {
    mutant_.at_worker(worker, frame, now);
  }
  void visit_worker(Archive& archive, WorkerTransport& worker) override {
    system_->visit_worker(archive, worker);
  }
  void visit_server(Archive& archive, ParameterServer& server) override {
    system_->visit_server(archive, server);
  }
  void visit_program(Archive& archive, SwitchProgram& program) override {
    system_->visit_program(archive, static_cast<MutantProgram&>(program).real());
  }
  void forget_unreadable(SwitchProgram& program, PassingFrames& passing) override {
    system_->forget_unreadable(static_cast<MutantProgram&>(program).real(), passing);
  }
  std::vector<std::uint32_t> table_of_worker(WorkerTransport& worker) const override {
    return system_->table_of_worker(worker);
  }
  std::vector<std::uint32_t> table_of_server(ParameterServer& server) const override {
    return system_->table_of_server(server);
  }
  std::vector<programs::TaskId> tasks(const SwitchProgram& program) const override {
    return system_->tasks(static_cast<const MutantProgram&>(program).real());
  }

 private:
  const Mutant& mutant_;
  std::uint32_t psns_per_tensor_;
  std::vector<std::unique_ptr<EarlyCompletion>> early_;  // by worker
  std::unique_ptr<System> system_;
};

}  // namespace

std::span<const Mutant> mutants() { return kMutants; }

const Mutant& mutant_of_name(std::string_view name) {
  std::string all;
  for (const Mutant& one : kMutants) {
    if (one.name == name) return one;
    all.append(" ").append(one.name);
  }
  throw std::invalid_argument("no mutant '" + std::string(name) + "'; there are" + all);
}

std::unique_ptr<SwitchProgram> make_mutant_program(const Mutant& mutant,
                                                   std::unique_ptr<SwitchProgram> program) {
  return std::make_unique<MutantProgram>(mutant, std::move(program));
}

MakeSystem make_mutant(const Mutant& mutant) {
  return [&mutant](const Configuration& configuration, ValuePool& pool, Coin& coin) {
    return std::make_unique<MutantSystem>(mutant, configuration,
                                          make_system(configuration, pool, coin));
  };
}

}  // namespace ina::exploration
