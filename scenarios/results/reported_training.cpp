// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/reported_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "hw/cluster/training/worker_report.hpp"

namespace ina::results {

namespace {

using cluster::WorkerIteration;
using cluster::WorkerReport;
using fields::ObjectReader;

constexpr std::uint32_t kNoIteration = std::numeric_limits<std::uint32_t>::max();

/// Report of one process and its position in the document.
struct Process {
  const WorkerReport& report;
  const fields::Document& document;
  std::string pointer;

  std::size_t iterations_ended() const { return report.first_iteration + report.iterations.size(); }

  template <typename Found>
  [[noreturn]] void refuse(std::string_view below, const Found& found,
                           const std::string& allowed) const {
    document.fail(fmt::format("{}/{}", pointer, below),
                  fmt::format("found {}; allowed: {}", found, allowed));
  }
};

/// Processes that were started for one registration of a job, one per worker.
using Registration = std::vector<Process>;
using Registrations = std::vector<Registration>;

// ---- grouping of processes

/// Groups the processes of each job by registration.
std::vector<Registrations> registrations_in(const ObjectReader& run,
                                            const std::vector<WorkerReport>& reports,
                                            std::span<const JobRow> jobs) {
  const std::string pointer = run.pointer_of("training");
  std::vector<Registrations> registrations(jobs.size(), Registrations(1));
  std::vector<std::map<std::uint32_t, std::size_t>> processes(jobs.size());  // per worker
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Process process{reports[i], run.document(), fields::pointer_to(pointer, i)};
    const auto [job, worker] = std::pair(process.report.job, process.report.worker);
    if (job >= jobs.size()) process.refuse("job", job, "a job of the run");
    if (worker >= jobs[job].workers) process.refuse("worker", worker, "a worker of the job");
    const std::size_t number = processes[job][worker]++;
    if (registrations[job].size() <= number) registrations[job].resize(number + 1);
    registrations[job][number].push_back(process);
  }
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (const Registration& workers : registrations[job]) {
      if (!workers.empty() && workers.size() == jobs[job].workers) continue;
      run.fail("training", fmt::format("found processes of {} of the {} workers of job {}; "
                                       "allowed: the same number of processes for each worker",
                                       workers.size(), jobs[job].workers, job));
    }
  }
  return registrations;
}

// ---- plausibility

/// Rejects times that decrease or precede `from`. Returns the last of them.
Time check_times(const Process& process, Time from) {
  const auto check = [&](const std::string& below, Time time) {
    if (time < from) {
      process.refuse(below, time.count(), fmt::format("{} or more", from.count()));
    }
    from = time;
  };
  const std::vector<WorkerIteration>& iterations = process.report.iterations;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    check(fmt::format("iterations/{}/start_ps", i), iterations[i].start);
    check(fmt::format("iterations/{}/end_ps", i), iterations[i].end);
  }
  if (process.report.iteration_start) {
    check("iteration_start_ps", *process.report.iteration_start);
  }
  return from;
}

/// Checks that all processes of a registration begin with the same iteration, after the end of the
/// previous registration. This iteration must not precede the first one of the previous
/// registration. All workers of the previous registration must have ended all iterations before it.
void check(const Registrations& registrations) {
  std::size_t least = 0;
  std::size_t most = 0;
  Time over{};
  for (const Registration& workers : registrations) {
    Time latest = over;
    std::size_t ended = std::numeric_limits<std::size_t>::max();
    for (const Process& process : workers) {
      const std::uint32_t first = process.report.first_iteration;
      if (first < least || first > most) {
        process.refuse("first_iteration", first, fmt::format("{} to {}", least, most));
      }
      least = most = first;
      ended = std::min(ended, process.iterations_ended());
      latest = std::max(latest, check_times(process, over));
    }
    most = ended;
    over = latest;
  }
}

/// Checks that all workers of a finished job ended the same number of iterations, at least one.
void check_finished(const Registration& workers) {
  const std::size_t ended = std::max<std::size_t>(workers.front().iterations_ended(), 1);
  for (const Process& process : workers) {
    if (process.iterations_ended() == ended) continue;
    process.refuse("iterations", fmt::format("{} ended iterations", process.iterations_ended()),
                   fmt::format("{}, the number of all other workers of this finished job", ended));
  }
}

// ---- replay

struct Event {
  Time at;
  std::uint32_t iteration;
  std::uint16_t rank;
  const WorkerIteration* ended;  // null: the iteration starts
};

/// Events in the order of time, up to the job's end. Ends of iterations from `again` on are left
/// out, since the next registration repeats these iterations.
std::vector<Event> events_of(const Registration& workers, std::uint32_t again, Time until) {
  std::vector<Event> events;
  std::uint16_t rank = 0;
  for (const Process& process : workers) {
    std::uint32_t number = process.report.first_iteration;
    for (const WorkerIteration& iteration : process.report.iterations) {
      events.push_back({iteration.start, number, rank, nullptr});
      if (number < again) events.push_back({iteration.end, number, rank, &iteration});
      ++number;
    }
    if (const auto start = process.report.iteration_start) {
      events.push_back({*start, number, rank, nullptr});
    }
    ++rank;
  }
  std::erase_if(events, [until](const Event& event) { return event.at > until; });
  std::ranges::stable_sort(events, {}, &Event::at);
  return events;
}

ReportedTraining replay(const Registrations& registrations, Time until) {
  ReportedTraining training;
  cluster::JobIterations iterations(static_cast<std::uint32_t>(registrations.front().size()));
  for (std::size_t i = 0; i < registrations.size(); ++i) {
    if (i > 0) iterations.begin_again();
    const bool last = i + 1 == registrations.size();
    const std::uint32_t again =
        last ? kNoIteration : registrations[i + 1].front().report.first_iteration;
    for (const auto& [at, number, rank, ended] : events_of(registrations[i], again, until)) {
      if (ended == nullptr) {
        iterations.worker_started(number, at);
      } else if (const auto of_all = iterations.worker_ended(number, rank, *ended)) {
        training.iterations.push_back(*of_all);
      }
    }
  }
  training.start = iterations.started_at();
  return training;
}

}  // namespace

std::vector<ReportedTraining> read_training(ObjectReader& run, std::span<const JobRow> jobs) {
  std::vector<WorkerReport> reports;
  run.list(
      "training", reports, fields::kAnySize,
      [](ObjectReader& inner, WorkerReport& report) { WorkerReport::visit(inner, report); }, "");
  const std::vector<Registrations> of_jobs = registrations_in(run, reports, jobs);
  std::vector<ReportedTraining> trainings;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    check(of_jobs[job]);
    if (!jobs[job].end) check_finished(of_jobs[job].back());
    trainings.push_back(replay(of_jobs[job], jobs[job].end ? Time(*jobs[job].end) : kNever));
  }
  return trainings;
}

}  // namespace ina::results
