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
#include "switch-models/rmt/carry.hpp"
#include "switch-models/rmt/verdict.hpp"

namespace ina::programs {

/// Events of an aggregator. They are counted per job and reported to an observer if there is one.
enum class AggregatorEvent : std::uint8_t {
  allocated,
  added,      ///< a contribution after the first
  collided,   ///< a packet found its aggregator in use by another task
  preempted,  ///< a packet took an aggregator in use
  evicted,    ///< the partial sum of the preempted task left the switch
  completed,
  freed,
  duplicate,  ///< a contribution that the aggregator's sum already contained
  fallback,   ///< a packet or a partial sum left for the server because of a collision, or because
              ///< the aggregator's sum already contained a part of it
};
inline constexpr std::size_t kAggregatorEvents = 9;
/// Names in the results' columns and in trace events, in the order of AggregatorEvent.
inline constexpr std::array<const char*, kAggregatorEvents> kAggregatorEventNames = {
    "allocated", "added", "collided",  "preempted", "evicted",
    "completed", "freed", "duplicate", "fallback"};

/// Number of events of each kind at aggregators of one job.
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

/// Time without a packet of its own task after which an aggregator may be freed.
inline constexpr Time kAggregatorExpiry = std::chrono::milliseconds(100);

/// Level of a switch in the aggregation tree of a job.
enum class TreeLevel : std::uint8_t {
  only,  ///< the job's only switch
  leaf,  ///< adds the gradients of its own workers, and sends the sum to the root
  root,  ///< adds the leaves' sums and its own workers' gradients to the final sum
};

/// Entry that the control plane installs at a switch for a job. Its size is a power of two so that
/// every packet finds it with a shift.
struct alignas(256) JobEntry {
  /// Number of contributors at this switch: workers, or branches at the root. 0: unknown job.
  std::uint16_t workers = 0;
  wire::JobServers servers;
  std::uint32_t first_slot = 0;  ///< first slot of the job's pool in SwitchML
  std::uint32_t slots = 0;
  TreeLevel level = TreeLevel::only;
  std::uint8_t branch = 0;    ///< at a leaf: index of its branch at the root
  std::uint8_t branches = 0;  ///< number of the job's branches at the root; 0: only one level
};

/// An aggregator in use.
struct OccupiedAggregator {
  std::uint32_t index;
  JobId job;
  std::optional<Psn> psn;  ///< empty in SwitchML, whose registers do not store it per version

  friend bool operator==(const OccupiedAggregator&, const OccupiedAggregator&) = default;
};

/// A data-plane program with its registers. It receives a packet and returns the same packet,
/// modified, or drops it. An active program also sends frames of its own, at any time.
class SwitchProgram {
 public:
  virtual ~SwitchProgram() = default;
  /// Handles one packet of the program's format, and returns how it leaves.
  virtual rmt::Verdict process(Frame& frame, Time now) = 0;
  /// Whether other packets may come between two passes of a packet. pass() then runs each pass, and
  /// process() runs all passes of a packet in a row.
  virtual bool separates_passes() const { return false; }
  /// Runs one pass of a packet. `carry` is empty before the first pass. If the verdict counts a
  /// resubmission or a recirculation, the caller passes `frame` and `carry` to the next pass, which
  /// that path leads to; `exit` is then `drop` if the packet usually stays in the switch. Otherwise
  /// this pass was the last one. The caller may lose a packet between two passes.
  virtual rmt::Verdict pass(Frame& frame, rmt::Carry& /* carry */, Time now) {
    return process(frame, now);
  }
  /// Number of values of each gradient that process() reads.
  virtual std::size_t width() const { return 0; }

  /// Whether the program sends frames through next() or has deadlines. The answer must not change:
  /// the caller asks once, and calls next(), deadline() and expire() only if it is true.
  virtual bool is_active() const { return false; }
  /// Writes the next frame that the program sends on its own initiative to `out`, which is empty,
  /// and returns how it leaves; kDrop means that there is none now. The caller calls next() until
  /// it returns kDrop after each process(), once the processed packet has left, and after each
  /// expire(), with the same `now`. Only passes in a verdict take time, so a program that needs
  /// further passes to make a frame must count them in the verdict.
  virtual rmt::Verdict next(Frame& /* out */, Time /* now */) { return rmt::kDrop; }
  /// Time at which expire() is due; kNever if no deadline is set, as when no job is installed. May
  /// change in process(), next() and expire(), and when a job is installed or removed. A deadline
  /// in the past is due at once.
  virtual Time deadline() const { return kNever; }
  /// Acts on the deadline; `now` is at or after it. Must leave deadline() later than `now`.
  virtual void expire(Time /* now */) {}

  void install_job(JobId job, const JobEntry& entry);
  /// Removes a job and frees the aggregators that its tasks hold. Later frames of the job are
  /// rejected. Returns the number of freed aggregators, or 0 if the job is unknown.
  std::uint64_t remove_job(JobId job);
  /// Counters of a job; all zero if it was never installed.
  const AggregatorCounters& counters(JobId job) const {
    static constexpr AggregatorCounters kNothing{};
    return job < counters_.size() ? counters_[job] : kNothing;
  }
  /// Upper bound (exclusive) of the ids of all jobs that were ever installed.
  std::size_t jobs_end() const { return jobs_.size(); }
  /// Calls `visit` for every aggregator that is in use according to the registers. This reads all
  /// registers, so it is meant for the end of a run.
  using OccupiedVisitor = std::function<void(const OccupiedAggregator&)>;
  virtual void visit_occupied(const OccupiedVisitor&) const {}
  /// Number of aggregators that visit_occupied() visits.
  std::uint64_t cells_in_use() const;
  /// Number of aggregators in use by any job according to the events: allocated minus freed.
  std::uint64_t occupied() const;
  /// Number of frames dropped because their job, worker, slot or aggregator is unknown.
  std::uint64_t rejected_frames() const { return rejected_frames_; }
  void set_observer(AggregatorObserver* observer) { observer_ = observer; }

 protected:
  /// Frees the aggregators of a known job's tasks, and returns their number. An active program must
  /// also discard the frames and deadlines that it keeps for the job.
  virtual std::uint64_t free_aggregators(JobId) { return 0; }
  /// The entry of a job. If the job is unknown, the entry has workers == 0.
  const JobEntry& job_entry(JobId job) const {
    static constexpr JobEntry kUnknown{};
    return job < jobs_.size() ? jobs_[job] : kUnknown;
  }
  /// The job to whose pool the slot belongs. There must be exactly one such job.
  JobId job_of_slot(std::uint32_t slot) const;
  void note(AggregatorEvent event, JobId job, Psn psn, std::uint32_t aggregator_index) {
    ++counters_[job][event];
    if (observer_ != nullptr) observer_->aggregator_event(event, job, psn, aggregator_index);
  }
  /// Runs the passes of a packet in a row. The verdict counts all of them.
  rmt::Verdict all_passes(Frame& frame, Time now);
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

/// Verdict for a frame that no aggregator takes: to its destination, or to all workers.
inline rmt::Verdict forward(const Frame& frame) {
  return frame.destination == kAllWorkers ? rmt::kMulticast : rmt::kForward;
}

}  // namespace ina::programs
