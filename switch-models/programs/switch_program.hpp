// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/job_servers.hpp"
#include "switch-models/rmt/verdict.hpp"

namespace ina::programs {

/// What happens to aggregators; counted per job, and reported to an observer if there is one.
enum class AggregatorEvent : std::uint8_t {
  allocated,
  added,      ///< a contribution beyond the first
  collided,   ///< a packet found its aggregator in use by another task
  preempted,  ///< a packet took an aggregator in use
  evicted,    ///< the partial aggregate that it found there left
  completed,
  freed,
  duplicate,  ///< a contribution that the aggregator had already
  fallback,   ///< a packet or a partial aggregate left for the server because of a collision, or
              ///< since a part of it was in the aggregator already
};
inline constexpr std::size_t kAggregatorEvents = 9;
/// As in the results' columns and in trace events; in the order of AggregatorEvent.
inline constexpr std::array<const char*, kAggregatorEvents> kAggregatorEventNames = {
    "allocated", "added", "collided",  "preempted", "evicted",
    "completed", "freed", "duplicate", "fallback"};

/// How often each event happened to aggregators of one job.
struct AggregatorCounters {
  std::array<std::uint64_t, kAggregatorEvents> count{};

  std::uint64_t& operator[](AggregatorEvent e) { return count[static_cast<std::size_t>(e)]; }
  std::uint64_t operator[](AggregatorEvent e) const { return count[static_cast<std::size_t>(e)]; }
  AggregatorCounters& operator+=(const AggregatorCounters& more) {
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += more.count[i];
    return *this;
  }
  std::uint64_t occupied() const {
    return (*this)[AggregatorEvent::allocated] - (*this)[AggregatorEvent::freed];
  }
};

class AggregatorObserver {
 public:
  virtual ~AggregatorObserver() = default;
  virtual void aggregator_event(AggregatorEvent event, JobId job, Psn psn,
                                std::uint32_t aggregator_index) = 0;
};

/// An aggregator that no packet of its task came to for longer than this may be freed.
inline constexpr Time kAggregatorExpiry = std::chrono::milliseconds(100);

/// Where a switch stands in the tree that adds up a job's gradients.
enum class TreeLevel : std::uint8_t {
  only,  ///< the job's one switch
  leaf,  ///< adds up its own workers, and hands the sum to the root
  root,  ///< adds up the leaves' sums and its own workers, and completes
};

/// What the control plane installs at a switch for a job.
/// Its size is a power of two: every packet finds it with a shift.
struct alignas(256) JobEntry {
  /// That this switch adds up: the root's are the branches. 0: the job is unknown here.
  std::uint16_t workers = 0;
  wire::JobServers servers;
  std::uint32_t first_slot = 0;  ///< SwitchML: the job's pool
  std::uint32_t slots = 0;
  TreeLevel level = TreeLevel::only;
  std::uint8_t branch = 0;    ///< of a leaf: as which its sums count at the root
  std::uint8_t branches = 0;  ///< of the job, at the root; 0: it has one level
};

/// An aggregator that holds something.
struct OccupiedAggregator {
  std::uint32_t index;
  JobId job;
  std::optional<Psn> psn;  ///< none: SwitchML's registers do not know it

  friend bool operator==(const OccupiedAggregator&, const OccupiedAggregator&) = default;
};

/// A data-plane program with its registers. A packet goes in; the same packet, changed, comes out,
/// or none does. An active program also sends frames of its own, at any time.
class SwitchProgram {
 public:
  virtual ~SwitchProgram() = default;
  /// Handles one packet of the format that the program is for, and returns how it leaves.
  virtual rmt::Verdict process(Frame& frame, Time now) = 0;
  /// How many values of each gradient process() reads.
  virtual std::size_t width() const { return 0; }

  /// Whether the program sends frames through next() or has deadlines. Must not change: a world
  /// asks once, and calls the next three only if it is true.
  virtual bool is_active() const { return false; }
  /// Writes the next frame that the program sends to `out`, which is empty, and returns how it
  /// leaves. kDrop: there is none now. A world calls next() until it returns kDrop, with the `now`
  /// of the call before: after process(), once that packet has left the program, and after
  /// expire(). The world charges the passes of the verdict only. A program that makes frames in
  /// further passes counts these in its verdicts.
  virtual rmt::Verdict next(Frame& /* out */, Time /* now */) { return rmt::kDrop; }
  /// Deadline of the next expire(). kNever: nothing waits, as when no job is installed. It may
  /// change in process(), next() and expire(), and when a job is installed or removed. A deadline
  /// in the past is due at once.
  virtual Time deadline() const { return kNever; }
  /// `now` is not before deadline(). Afterwards deadline() must be later than `now`.
  virtual void expire(Time /* now */) {}

  void install_job(JobId job, const JobEntry& entry);
  /// Forgets a job, whose frames are rejected from now on, and frees the aggregators that its tasks
  /// hold. Returns how many those were; 0 if the job is unknown.
  std::uint64_t remove_job(JobId job);
  /// Of a job; nothing if it was never installed.
  const AggregatorCounters& counters(JobId job) const {
    static constexpr AggregatorCounters kNothing{};
    return job < counters_.size() ? counters_[job] : kNothing;
  }
  /// The jobs that were ever installed are below this.
  std::size_t jobs_end() const { return jobs_.size(); }
  /// Calls `visit` for every aggregator that holds something, by the registers themselves: a look
  /// at each of them, for the end of a run.
  using OccupiedVisitor = std::function<void(const OccupiedAggregator&)>;
  virtual void visit_occupied(const OccupiedVisitor&) const {}
  /// How many that visits.
  std::uint64_t cells_in_use() const;
  /// Aggregators in use by any job, by the events.
  std::uint64_t occupied() const;
  /// Frames of unknown jobs, workers, slots or aggregators: dropped.
  std::uint64_t rejected_frames() const { return rejected_frames_; }
  void set_observer(AggregatorObserver* observer) { observer_ = observer; }

 protected:
  /// Frees what the tasks of a known job hold, and returns how many aggregators that were. An
  /// active program forgets the job's frames and deadlines, too.
  virtual std::uint64_t free_aggregators(JobId) { return 0; }
  /// The entry of a job; one with workers == 0 if it is unknown.
  const JobEntry& job_entry(JobId job) const {
    static constexpr JobEntry kUnknown{};
    return job < jobs_.size() ? jobs_[job] : kUnknown;
  }
  /// The job that a slot of the pool belongs to; it must be one job's.
  JobId job_of_slot(std::uint32_t slot) const;
  void note(AggregatorEvent event, JobId job, Psn psn, std::uint32_t aggregator_index) {
    ++counters_[job][event];
    if (observer_ != nullptr) observer_->aggregator_event(event, job, psn, aggregator_index);
  }
  rmt::Verdict reject() {
    ++rejected_frames_;
    return rmt::kDrop;
  }

 private:
  std::uint64_t rejected_frames_ = 0;
  std::vector<JobEntry> jobs_;
  std::vector<AggregatorCounters> counters_;
  AggregatorObserver* observer_ = nullptr;
};

/// Plain forwarding of what no aggregator takes.
inline rmt::Verdict forward(const Frame& frame) {
  return frame.destination == kAllWorkers ? rmt::kMulticast : rmt::kForward;
}

}  // namespace ina::programs
