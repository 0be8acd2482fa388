// SPDX-License-Identifier: BSD-3-Clause
// The rows of the result tables (analysis/README.md), whoever measured them. One list of fields a
// row makes the names of its columns, its cells (cells.hpp), and the keys under which a report in
// JSON has it. Times are picoseconds, in the tables microseconds.
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

#include "hw/cluster/control_plane.hpp"
#include "hw/cluster/jct_breakdown.hpp"
#include "hw/cluster/job_iterations.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/fields/object_reader.hpp"

namespace ina::results {

template <class Visitor, class Count>
void visit_count(Visitor& visitor, std::string_view key, Count& count) {
  visitor.integer(key, count, fields::kAnyNumber, "");
}

template <class Visitor, class Ps>
void visit_time(Visitor& visitor, std::string_view key, Ps& ps) {
  visitor.picoseconds(key, ps, fields::kAnyPs, "");
}

/// The periods of the iterations of a job.
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
};

/// Of tasks of three types; nothing: they were not told apart.
using CountsByType = std::optional<std::array<std::uint64_t, 3>>;

/// What follows from something else is a column, and no key of a report.
template <class Visitor>
inline constexpr bool kReadsReport = std::is_same_v<Visitor, fields::ObjectReader>;

template <class Visitor>
void derived_count(Visitor& visitor, std::string_view key, std::uint64_t count) {
  if constexpr (!kReadsReport<Visitor>) visit_count(visitor, key, count);
}

template <class Visitor>
void derived_time(Visitor& visitor, std::string_view key, const std::optional<std::int64_t>& ps) {
  if constexpr (!kReadsReport<Visitor>) visit_time(visitor, key, ps);
}

template <class Visitor>
void visit_times(Visitor& visitor, const IterationTimes& times) {
  const auto if_any = [&](std::int64_t ps) {
    return times.count == 0 ? std::nullopt : std::optional(ps);
  };
  derived_time(
      visitor, "iteration_mean_ps",
      if_any(times.sum / static_cast<std::int64_t>(std::max<std::uint64_t>(times.count, 1))));
  derived_time(visitor, "iteration_min_ps", if_any(times.least));
  derived_time(visitor, "iteration_max_ps", if_any(times.most));
}

/// `prefix`: of the keys, which end with the numbers of the types. All or none of them.
template <class Visitor, class Counts>
void visit_by_type(Visitor& visitor, std::string_view prefix, Counts& counts) {
  constexpr std::size_t kTypes = std::tuple_size_v<CountsByType::value_type>;
  std::array<std::optional<std::uint64_t>, kTypes> cells;
  for (std::size_t type = 0; type < kTypes; ++type) {
    if (counts) cells[type] = (*counts)[type];
    visit_count(visitor, std::string(prefix) + std::to_string(type + 1), cells[type]);
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
  std::uint64_t values = 0;  ///< int32 values of its gradient
  std::optional<std::int64_t> start;
  /// When it finished or failed; reported of a job that failed, otherwise its last iteration's.
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
  IterationTimes times;  ///< of the iterations that all workers ended

  /// Nothing if it failed.
  std::optional<std::int64_t> jct() const {
    const bool finished = status == cluster::JobStatus::finished && start && end;
    return finished ? std::optional(*end - *start) : std::nullopt;
  }

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_count(visitor, "job", row.job);
    visitor.text("profile", row.profile, "");
    visit_count(visitor, "workers", row.workers);
    visit_count(visitor, "values", row.values);
    derived_count(visitor, "iterations", row.times.count);
    derived_time(visitor, "start_ps", row.start);
    derived_time(visitor, "jct_ps", row.jct());
    visit_times(visitor, row.times);
    visit_time(visitor, "end_ps", row.end);
    visit_count(visitor, "packets_sent", row.packets_sent);
    visit_count(visitor, "packets_received", row.packets_received);
    visit_count(visitor, "fallbacks", row.fallbacks);
    visit_count(visitor, "preemptions", row.preemptions);
    visit_count(visitor, "retransmissions", row.retransmissions);
    visit_by_type(visitor, "tasks_type_", row.tasks);
    visit_by_type(visitor, "losses_type_", row.losses);
    visit_count(visitor, "rejected_frames", row.rejected_frames);
    visit_count(visitor, "registrations", row.registrations);
    visitor.choice("status", row.status,
                   fields::names_in_order<cluster::JobStatus>(cluster::kJobStatusNames), "");
  }
};

struct IterationRow {
  static constexpr const char* kTable = "iterations.csv";

  std::uint64_t job = 0;
  std::uint64_t iteration = 0;
  std::int64_t start = 0;           ///< of the first worker
  std::int64_t period = 0;          ///< from the end of the iteration before to the last worker's
  std::int64_t span = 0;            ///< from the first worker's start to the last worker's end
  std::int64_t worker_mean = 0;     ///< of the workers' own times
  cluster::JctBreakdown breakdown;  ///< of the last worker, in the period
  std::int64_t straggler_mean = 0;  ///< of the workers' own waits for others

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
    visit_count(visitor, "job", row.job);
    visit_count(visitor, "iteration", row.iteration);
    visit_time(visitor, "start_ps", row.start);
    visit_time(visitor, "period_ps", row.period);
    visit_time(visitor, "iteration_span_ps", row.span);
    visit_time(visitor, "iteration_worker_mean_ps", row.worker_mean);
    for (const cluster::JctPart& part : cluster::kJctParts) {
      visit_time(visitor, std::string(part.name) + "_ps", row.breakdown.*part.of);
    }
    visit_time(visitor, "straggler_worker_mean_ps", row.straggler_mean);
  }
};

/// A switch at one instant, as one job sees it; the counters run from the start.
struct SwitchRow {
  static constexpr const char* kTable = "switch.csv";

  std::optional<std::int64_t> time;  ///< reported unless it is the job's end
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
    visit_time(visitor, "time_ps", row.time);
    visitor.text("switch", row.name, "");
    visit_count(visitor, "job", row.job);
    visit_count(visitor, "occupied_aggregators", row.occupied);
    visit_count(visitor, "allocated", row.allocated);
    visit_count(visitor, "collided", row.collided);
    visit_count(visitor, "preempted", row.preempted);
    visit_count(visitor, "evicted", row.evicted);
    visit_count(visitor, "completed", row.completed);
    visit_count(visitor, "fallbacks", row.fallbacks);
    visit_count(visitor, "added", row.added);
  }
};

/// One direction of a link at the end of the run. Nothing: nobody counted it.
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
  std::optional<std::int64_t> busy;  ///< the time that the line takes for what was sent
  /// When the line had sent the last frame or packet; nothing if it sent none
  std::optional<std::int64_t> last_sent;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visitor.text("link", row.link, "");
    visit_count(visitor, "frames_sent", row.frames_sent);
    visit_count(visitor, "bytes_sent", row.bytes_sent);
    visit_count(visitor, "frames_received", row.frames_received);
    visit_count(visitor, "bytes_received", row.bytes_received);
    visit_count(visitor, "frames_dropped", row.dropped);
    visit_count(visitor, "frames_marked", row.marked);
    visit_count(visitor, "frames_lost", row.lost);
    visit_count(visitor, "frames_corrupted", row.corrupted);
    visit_count(visitor, "frames_duplicated", row.duplicated);
    visit_count(visitor, "frames_delayed", row.delayed);
    visit_time(visitor, "busy_ps", row.busy);
    visit_time(visitor, "last_sent_ps", row.last_sent);
  }
};

/// One direction of a link in one interval, unless there was nothing on it. Queues are of the
/// frames that the line had not sent.
struct LinkSeriesRow {
  static constexpr const char* kTable = "link_series.csv";

  std::int64_t time = 0;  ///< the end of the interval
  std::string link;
  std::uint64_t bytes_sent = 0;
  std::int64_t busy = 0;
  std::uint64_t longest_queue = 0;
  std::uint64_t queue = 0;  ///< at the end
  std::uint64_t marked = 0;
  std::uint64_t dropped = 0;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_time(visitor, "time_ps", row.time);
    visitor.text("link", row.link, "");
    visit_count(visitor, "bytes_sent", row.bytes_sent);
    visit_time(visitor, "busy_ps", row.busy);
    visit_count(visitor, "longest_queue_bytes", row.longest_queue);
    visit_count(visitor, "queue_bytes", row.queue);
    visit_count(visitor, "frames_marked", row.marked);
    visit_count(visitor, "frames_dropped", row.dropped);
  }
};

/// How often tasks of a job held aggregators of a switch for about as long.
struct OccupationRow {
  static constexpr const char* kTable = "occupation.csv";

  std::string name;  ///< the switch's
  std::uint64_t job = 0;
  std::int64_t from = 0;
  std::int64_t until = 0;  ///< less than that
  std::uint64_t occupations = 0;
  std::int64_t mean = 0;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visitor.text("switch", row.name, "");
    visit_count(visitor, "job", row.job);
    visit_time(visitor, "held_from_ps", row.from);
    visit_time(visitor, "held_until_ps", row.until);
    visit_count(visitor, "occupations", row.occupations);
    visit_time(visitor, "held_mean_ps", row.mean);
  }
};

/// One flow of the traffic that is no job's, until the last job had ended.
struct FlowRow {
  static constexpr const char* kTable = "flows.csv";

  std::uint64_t flow = 0;
  std::string kind;
  std::string from;
  std::string to;
  std::optional<std::uint64_t> bytes;  ///< nothing: it has no end
  std::int64_t start = 0;
  std::optional<std::int64_t> completion;  ///< until all bytes had come; nothing: they had not
  std::uint64_t bytes_received = 0;
  std::optional<std::int64_t> last_received;  ///< when the last of these came

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& row) {
    visit_count(visitor, "flow", row.flow);
    visitor.text("kind", row.kind, "");
    visitor.text("from", row.from, "");
    visitor.text("to", row.to, "");
    visit_count(visitor, "size_bytes", row.bytes);
    visit_time(visitor, "start_ps", row.start);
    visit_time(visitor, "completion_ps", row.completion);
    visit_count(visitor, "bytes_received", row.bytes_received);
    visit_time(visitor, "last_received_ps", row.last_received);
  }
};

/// The packets of such flows on one direction of a link, with their Ethernet headers.
struct PacketRow {
  static constexpr const char* kTable = "packets.csv";

  std::string link;  ///< as LinkRow has it
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
    visitor.text("link", row.link, "");
    visit_count(visitor, "packets_sent", row.packets_sent);
    visit_count(visitor, "bytes_sent", row.bytes_sent);
    visit_count(visitor, "packets_received", row.packets_received);
    visit_count(visitor, "bytes_received", row.bytes_received);
    visit_count(visitor, "packets_dropped", row.dropped);
    visit_count(visitor, "packets_marked", row.marked);
    visit_count(visitor, "packets_lost", row.lost);
    visit_count(visitor, "packets_duplicated", row.duplicated);
  }
};

/// The tables that a result folder may have; analysis/README.md explains their columns.
inline constexpr std::array kTables = {
    JobRow::kTable,        IterationRow::kTable,  SwitchRow::kTable, LinkRow::kTable,
    LinkSeriesRow::kTable, OccupationRow::kTable, FlowRow::kTable,   PacketRow::kTable};

}  // namespace ina::results
