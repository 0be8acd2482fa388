// SPDX-License-Identifier: BSD-3-Clause
// The rows of the result tables, filled by the simulator or read from reports of processes. Each
// row has a single list of its fields. It gives the names of the columns, their documentation
// (docs/reference/results.md), the cells (cells.hpp) and the keys of a JSON report. Times are in
// picoseconds here and in microseconds in the tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/cluster/training/jct_breakdown.hpp"
#include "hw/cluster/training/job_iterations.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/fields/object_reader.hpp"

namespace ina::results {

template <class Visitor, class Count>
void visit_count(Visitor& visitor, std::string_view key, Count& count, std::string_view help) {
  visitor.integer(key, count, fields::kAnyNumber, help);
}

template <class Visitor, class Ps>
void visit_time(Visitor& visitor, std::string_view key, Ps& ps, std::string_view help) {
  visitor.picoseconds(key, ps, fields::kAnyPs, help);
}

/// Statistics of the iteration periods of a job, in ps.
struct IterationTimes {
  std::uint64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;

  void add(std::int64_t time) {
    ++count;
    sum += time;
    least = std::min(least, time);
    most = std::max(most, time);
  }
  /// Mean period, rounded down; 0 without iterations.
  std::int64_t mean() const {
    return sum / static_cast<std::int64_t>(std::max<std::uint64_t>(count, 1));
  }
};

/// Numbers of tasks of types I, II and III (DSA IV.C); nothing if they were not counted.
using CountsByType = std::optional<std::array<std::uint64_t, 3>>;

/// Whether the visitor reads a report. Derived values are columns, but not keys of a report.
template <class Visitor>
inline constexpr bool kReadsReport = std::is_same_v<Visitor, fields::ObjectReader>;

template <class Visitor>
void derived_count(Visitor& visitor, std::string_view key, std::uint64_t count,
                   std::string_view help) {
  if constexpr (!kReadsReport<Visitor>) visit_count(visitor, key, count, help);
}

template <class Visitor>
void derived_time(Visitor& visitor, std::string_view key, const std::optional<std::int64_t>& ps,
                  std::string_view help) {
  if constexpr (!kReadsReport<Visitor>) visit_time(visitor, key, ps, help);
}

template <class Visitor>
void visit_times(Visitor& visitor, const IterationTimes& times) {
  const auto if_any = [&](std::int64_t ps) {
    return times.count == 0 ? std::nullopt : std::optional(ps);
  };
  derived_time(visitor, "iteration_mean_ps", if_any(times.mean()),
               "Mean period of these iterations (`period_us` of `iterations.csv`): the JCT divided "
               "by `iterations`. Empty without iterations");
  derived_time(visitor, "iteration_min_ps", if_any(times.least),
               "Shortest period of these iterations. Empty without iterations");
  derived_time(visitor, "iteration_max_ps", if_any(times.most),
               "Longest period of these iterations. Empty without iterations");
}

inline constexpr std::size_t kTaskTypes = std::tuple_size_v<CountsByType::value_type>;

/// `prefix`: start of the keys, which end with the number of the type. Counts exist for all types
/// or for none.
template <class Visitor, class Counts>
void visit_by_type(Visitor& visitor, std::string_view prefix, Counts& counts,
                   const std::array<std::string_view, kTaskTypes>& help) {
  std::array<std::optional<std::uint64_t>, kTaskTypes> cells;
  for (std::size_t type = 0; type < kTaskTypes; ++type) {
    if (counts) cells[type] = (*counts)[type];
    visit_count(visitor, std::string(prefix) + std::to_string(type + 1), cells[type], help[type]);
  }
  if constexpr (!std::is_const_v<Counts>) {
    if (std::ranges::all_of(cells, [](const auto& cell) { return cell.has_value(); })) {
      counts = {*cells[0], *cells[1], *cells[2]};
    }
  }
}

struct JobRow {
  static constexpr const char* kTable = "jobs.csv";

  std::uint64_t job = 0;
  std::string profile;
  std::uint64_t workers = 0;
  std::uint64_t values = 0;  ///< int32 values of the gradient
  std::optional<std::int64_t> start;
  /// Time at which the job finished or failed. Reports contain it only for failed jobs. A job that
  /// finished ends with its last iteration.
  std::optional<std::int64_t> end;
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_received = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t retransmissions = 0;
  CountsByType tasks;
  CountsByType losses;
  std::uint64_t rejected_frames = 0;
  std::uint64_t registrations = 0;
  cluster::JobStatus status = cluster::JobStatus::running;
  IterationTimes times;  ///< of iterations that all workers ended

  /// Nothing if the job failed.
  std::optional<std::int64_t> jct() const {
    const bool finished = status == cluster::JobStatus::finished && start && end;
    return finished ? std::optional(*end - *start) : std::nullopt;
  }

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_count(visitor, "job", row.job, "Number of the job");
    visitor.text("profile", row.profile, "Name of the job's model");
    visit_count(visitor, "workers", row.workers, "Number of workers of the job");
    visit_count(visitor, "values", row.values,
                "Number of int32 values in one worker's gradient of one iteration");
    derived_count(visitor, "iterations", row.times.count,
                  "Number of iterations that all workers of the job ended");
    derived_time(visitor, "start_ps", row.start,
                 "Start of the job's first iteration. Empty if the job failed earlier");
    derived_time(visitor, "jct_ps", row.jct(),
                 "Job completion time (JCT), from `start_us` to `end_us`. Empty if the job failed");
    visit_times(visitor, row.times);
    visit_time(visitor, "end_ps", row.end,
               "End of the job's last iteration, or the time at which the job failed");
    visit_count(visitor, "packets_sent", row.packets_sent,
                "Packets that workers and parameter servers of the job sent");
    visit_count(visitor, "packets_received", row.packets_received,
                "Packets that workers and parameter servers of the job received");
    visit_count(visitor, "fallbacks", row.fallbacks,
                "Packets and partial aggregates that went to the parameter server because of a "
                "collision. A retransmitted packet that finds no aggregator of its task also goes "
                "to the server, but is not counted here");
    visit_count(visitor, "preemptions", row.preemptions,
                "Aggregators that packets of the job took from other tasks");
    visit_count(visitor, "retransmissions", row.retransmissions,
                "Packets that workers of the job sent again");
    visit_by_type(visitor, "tasks_type_", row.tasks,
                  {"Aggregation tasks of type I (DSA IV.C), which met no collision. Counts all "
                   "iterations that all workers ended, even if the job was registered again in "
                   "between. 0 in scenarios without `faults`",
                   "Aggregation tasks of type II, which met collisions and kept or took the "
                   "aggregator in each of them",
                   "Aggregation tasks of type III: a part of the task went to the parameter server "
                   "because of a collision. With several racks, a task has the highest type that "
                   "any switch reports"});
    visit_by_type(visitor, "losses_type_", row.losses,
                  {"Frames of tasks of type I that faults lost or corrupted",
                   "Frames of tasks of type II that faults lost or corrupted",
                   "Frames of tasks of type III that faults lost or corrupted"});
    visit_count(visitor, "rejected_frames", row.rejected_frames,
                "Frames that workers and parameter servers of the job dropped because the frames "
                "were malformed, of another job, or of an unexpected kind");
    visit_count(
        visitor, "registrations", row.registrations,
        "Number of times that the job was registered. More than 1 if a worker returned, if a link "
        "or a switch of the job's tree failed or, under SwitchML, if such a switch rebooted");
    visitor.choice("status", row.status,
                   fields::names_in_order<cluster::JobStatus>(cluster::kJobStatusNames),
                   "`finished`, or the way in which the job failed because of `faults`: `killed`, "
                   "`worker_lost`, `cut_off`");
  }
};

struct IterationRow {
  static constexpr const char* kTable = "iterations.csv";

  std::uint64_t job = 0;
  std::uint64_t iteration = 0;
  std::int64_t start = 0;   ///< of the first worker
  std::int64_t period = 0;  ///< from the end of the previous iteration to the last worker's end
  std::int64_t span = 0;    ///< from the first worker's start to the last worker's end
  std::int64_t worker_mean = 0;     ///< mean duration over workers
  cluster::JctBreakdown breakdown;  ///< of the period, for the last worker
  std::int64_t straggler_mean = 0;  ///< mean time that workers waited for others

  static IterationRow of(std::size_t job, std::size_t number,
                         const cluster::JobIteration& iteration) {
    return {.job = job,
            .iteration = number,
            .start = iteration.start.count(),
            .period = iteration.period().count(),
            .span = iteration.span().count(),
            .worker_mean = iteration.worker_mean.count(),
            .breakdown = iteration.breakdown,
            .straggler_mean = iteration.straggler_worker_mean.count()};
  }

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_count(visitor, "job", row.job, "Number of the job");
    visit_count(visitor, "iteration", row.iteration, "Number of the iteration");
    visit_time(visitor, "start_ps", row.start,
               "Time at which the first worker began the iteration");
    visit_time(visitor, "period_ps", row.period,
               "Time from the end of the previous iteration to the end of this one, both at the "
               "last worker. The first period begins at the job's start. The periods of a job add "
               "up to its JCT");
    visit_time(visitor, "iteration_span_ps", row.span,
               "Time from `start_us` to the end of the iteration at the last worker. Spans of two "
               "iterations overlap if some workers begin an iteration before other workers have "
               "ended the previous one");
    visit_time(visitor, "iteration_worker_mean_ps", row.worker_mean,
               "Mean over workers of the time from the worker's own start to its own end of the "
               "iteration");
    for (const cluster::JctPart& part : cluster::kJctParts) {
      visit_time(visitor, std::string(part.name) + "_ps", row.breakdown.*part.of, part.help);
    }
    visit_time(visitor, "straggler_worker_mean_ps", row.straggler_mean,
               "Mean over workers of `straggler_us`, each counted from the worker's own start to "
               "its own end. If the slow worker is the last one, `straggler_us` of the row is 0, "
               "and only this column contains the waits of the other workers");
  }
};

/// State of a switch for one job at one instant. Counters count from the start of the run.
struct SwitchRow {
  static constexpr const char* kTable = "switch.csv";

  std::optional<std::int64_t> time;  ///< not reported for the sample at the job's end
  std::string name;
  std::uint64_t job = 0;
  std::uint64_t occupied = 0;
  std::uint64_t allocated = 0;
  std::uint64_t collided = 0;
  std::uint64_t preempted = 0;
  std::uint64_t evicted = 0;
  std::uint64_t completed = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t added = 0;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_time(visitor, "time_ps", row.time, "Time of the sample");
    visitor.text("switch", row.name,
                 "Name of the switch: `switch` if there is only one, otherwise a name such as "
                 "`rack0`, `leaf0` or `spine1`");
    visit_count(visitor, "job", row.job,
                "Number of the job whose aggregators and events are counted");
    visit_count(visitor, "occupied_aggregators", row.occupied,
                "Number of aggregators that the job holds at `time_us`");
    visit_count(
        visitor, "allocated", row.allocated,
        "Number of aggregators that the job allocated. This column and those below count from the "
        "start of the run to `time_us`. Subtract the previous row to get the events in between");
    visit_count(visitor, "collided", row.collided,
                "Packets of the job that found their aggregator in use by another task");
    visit_count(visitor, "preempted", row.preempted,
                "Aggregators that packets of the job took from other tasks");
    visit_count(visitor, "evicted", row.evicted,
                "Partial aggregates of the job that another task displaced from their aggregators");
    visit_count(visitor, "completed", row.completed, "Tasks of the job that the switch completed");
    visit_count(visitor, "fallbacks", row.fallbacks,
                "Packets and partial aggregates of the job that left for the parameter server "
                "because of a collision");
    visit_count(
        visitor, "added", row.added,
        "Contributions that were added to aggregators, without the first contribution to each");
  }
};

/// Counters of one direction of a link over the whole run. Empty counters were not counted.
struct LinkRow {
  static constexpr const char* kTable = "links.csv";

  std::string link;  ///< "host3>switch", "switch>host3", "rack0>rack2"
  std::uint64_t frames_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_received = 0;
  std::optional<std::uint64_t> dropped;
  std::optional<std::uint64_t> marked;
  std::optional<std::uint64_t> lost;
  std::optional<std::uint64_t> corrupted;
  std::optional<std::uint64_t> duplicated;
  std::optional<std::uint64_t> delayed;
  std::optional<std::int64_t> busy;  ///< transmission time of everything sent
  /// Time at which the last frame or packet left the line; nothing if there was none
  std::optional<std::int64_t> last_sent;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visitor.text("link", row.link,
                 "Sender and receiver, such as `host3>switch`; with several switches, such as "
                 "`host3>rack1` or `leaf0>spine1`");
    visit_count(visitor, "frames_sent", row.frames_sent, "Frames that the sender sent");
    visit_count(visitor, "bytes_sent", row.bytes_sent, "Bytes of these frames");
    visit_count(visitor, "frames_received", row.frames_received,
                "Frames that the receiver received");
    visit_count(visitor, "bytes_received", row.bytes_received, "Bytes of these frames");
    visit_count(visitor, "frames_dropped", row.dropped,
                "Frames that were dropped because the buffer before the link was full");
    visit_count(visitor, "frames_marked", row.marked, "Frames marked with ECN in that buffer");
    visit_count(
        visitor, "frames_lost", row.lost,
        "Frames that were lost on the link because of `faults`, or in a host that was too slow");
    visit_count(visitor, "frames_corrupted", row.corrupted,
                "Frames that were corrupted on the link because of `faults`");
    visit_count(visitor, "frames_duplicated", row.duplicated,
                "Frames that were duplicated on the link because of `faults`");
    visit_count(visitor, "frames_delayed", row.delayed,
                "Frames that were delayed on the link because of `faults`");
    visit_time(visitor, "busy_ps", row.busy,
               "Time in which the line was sending, framing included. Empty on the testbed");
    visit_time(
        visitor, "last_sent_ps", row.last_sent,
        "Time at which the line had sent its last frame or packet. Sending may end after the "
        "`end_us` of the last job: the last frame is then a retransmission, an acknowledgement, a "
        "late copy or other traffic. Empty if nothing was sent, and on the testbed");
  }
};

/// One direction of a link in one interval. An interval without frames has no row. A frame counts
/// as queued until it has left the line.
struct LinkSeriesRow {
  static constexpr const char* kTable = "link_series.csv";

  std::int64_t time = 0;  ///< end of the interval
  std::string link;
  std::uint64_t bytes_sent = 0;
  std::int64_t busy = 0;
  std::uint64_t longest_queue = 0;
  std::uint64_t queue = 0;  ///< at the end of the interval
  std::uint64_t marked = 0;
  std::uint64_t dropped = 0;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_time(visitor, "time_ps", row.time,
               "End of the interval, a multiple of the interval's length");
    visitor.text("link", row.link, "As in `links.csv`");
    visit_count(visitor, "bytes_sent", row.bytes_sent,
                "Bytes of the frames whose last bit left the line in the interval");
    visit_time(visitor, "busy_ps", row.busy,
               "Time of the interval in which the line was sending, framing included");
    visit_count(visitor, "longest_queue_bytes", row.longest_queue,
                "Maximum of `queue_bytes` in the interval");
    visit_count(visitor, "queue_bytes", row.queue,
                "Bytes of the frames that had not left the line at the end of the interval, "
                "including the frame on the line, without framing");
    visit_count(visitor, "frames_marked", row.marked,
                "Frames marked with ECN before the link in the interval");
    visit_count(visitor, "frames_dropped", row.dropped,
                "Frames dropped before the link in the interval");
  }
};

/// Number of times that a job held an aggregator of a switch for a duration within one bin.
struct OccupationRow {
  static constexpr const char* kTable = "occupation.csv";

  std::string name;  ///< name of the switch
  std::uint64_t job = 0;
  std::int64_t from = 0;
  std::int64_t until = 0;  ///< exclusive
  std::uint64_t occupations = 0;
  std::int64_t mean = 0;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visitor.text("switch", row.name, "As in `switch.csv`");
    visit_count(visitor, "job", row.job, "Number of the job");
    visit_time(visitor, "held_from_ps", row.from, "Lower bound of the bin, inclusive");
    visit_time(visitor, "held_until_ps", row.until,
               "Upper bound of the bin, exclusive. The upper bound is at most a sixteenth above "
               "the lower bound");
    visit_count(visitor, "occupations", row.occupations, "Number of occupations in the bin");
    visit_time(visitor, "held_mean_ps", row.mean, "Mean duration of these occupations");
  }
};

/// One flow of background traffic until the end of the last job.
struct FlowRow {
  static constexpr const char* kTable = "flows.csv";

  std::uint64_t flow = 0;
  std::string kind;
  std::string from;
  std::string to;
  std::optional<std::uint64_t> bytes;  ///< nothing: unlimited
  std::int64_t start = 0;
  /// Time until all bytes had arrived; nothing: some did not arrive.
  std::optional<std::int64_t> completion;
  std::uint64_t bytes_received = 0;
  std::optional<std::int64_t> last_received;  ///< arrival of the last of these bytes

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_count(visitor, "flow", row.flow, "Number of the flow, in the order of starts");
    visitor.text("kind", row.kind, "Kind of the flow, from `traffic/flows`");
    visitor.text("from", row.from, "Sending host, by the name of its link");
    visitor.text("to", row.to, "Receiving host, by the name of its link");
    visit_count(visitor, "size_bytes", row.bytes, "Size of the flow. Empty if the flow has no end");
    visit_time(visitor, "start_ps", row.start,
               "Time at which the flow starts, with TCP's handshake");
    visit_time(
        visitor, "completion_ps", row.completion,
        "Time from the start until the last byte arrived. Empty if some bytes did not arrive");
    visit_count(visitor, "bytes_received", row.bytes_received,
                "Bytes that the application received");
    visit_time(visitor, "last_received_ps", row.last_received,
               "Time at which the last of these bytes arrived. Empty if none did");
  }
};

/// Packets of background traffic in one direction of a link. Bytes include Ethernet headers.
struct PacketRow {
  static constexpr const char* kTable = "packets.csv";

  std::string link;  ///< as in LinkRow
  std::uint64_t packets_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t packets_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped = 0;
  std::uint64_t marked = 0;
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visitor.text("link", row.link, "As in `links.csv`");
    visit_count(visitor, "packets_sent", row.packets_sent, "Packets that the sender sent");
    visit_count(visitor, "bytes_sent", row.bytes_sent,
                "Bytes of these packets, with Ethernet headers");
    visit_count(visitor, "packets_received", row.packets_received,
                "Packets that the receiver received");
    visit_count(visitor, "bytes_received", row.bytes_received,
                "Bytes of these packets, with Ethernet headers");
    visit_count(visitor, "packets_dropped", row.dropped,
                "Packets that were dropped because the queue before the link was full. At a host, "
                "also packets that were still waiting when the last job ended");
    visit_count(visitor, "packets_marked", row.marked, "Packets marked with ECN before the link");
    visit_count(visitor, "packets_lost", row.lost,
                "Packets that were lost or corrupted on the link because of `faults`");
    visit_count(visitor, "packets_duplicated", row.duplicated,
                "Packets that were duplicated on the link because of `faults`");
  }
};

/// The row types of all tables in a result folder.
using AllRows = std::tuple<JobRow, IterationRow, SwitchRow, LinkRow, LinkSeriesRow, OccupationRow,
                           FlowRow, PacketRow>;

/// Names of all tables.
inline constexpr auto kTables = []<class... Rows>(std::type_identity<std::tuple<Rows...>>) {
  return std::array{Rows::kTable...};
}(std::type_identity<AllRows>());

}  // namespace ina::results
