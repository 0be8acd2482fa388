// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/process_control.hpp"

#include <fmt/format.h>

#include <array>

#include "hw/processes/input_error.hpp"

namespace ina::processes {

using cluster::JobEvent;
using cluster::JobHost;
using cluster::Registration;
using nlohmann::json;
using nlohmann::ordered_json;

ProcessControl::ProcessControl(const cluster::ControlPlane::Config& config,
                               const std::vector<Job>& jobs,
                               const std::vector<faults::PlannedNodeFault>& faults,
                               std::ostream& out)
    : out_(out), control_(config, *this) {
  for (const Job& job : jobs) {
    iterations_.push_back(job.iterations);
    control_.add_job(job.hosts, job.iterations, Time::zero());
  }
  for (const faults::PlannedNodeFault& fault : faults) control_.plan(fault);
  begun_ = true;
}

void ProcessControl::take(std::string_view line) {
  try {
    const json event = json::parse(line);
    const Time now(event.at("now_ps").get<std::int64_t>());
    iterations_ended(event.at("iterations_ended"), now);
    // Each deadline is handled at its own time, because this is the time of a job's failure.
    while (control_.deadline() <= now) control_.expire(control_.deadline());
  } catch (const json::exception&) {
    throw InputError(
        fmt::format("standard input: found \"{}\"; allowed: {{\"now_ps\": TIME, "
                    "\"iterations_ended\": [[JOB, RANK, COUNT], ...]}}",
                    line));
  }
}

void ProcessControl::iterations_ended(const json& event, Time now) {
  for (const json& of_worker : event) {
    const auto [job, rank, count] = of_worker.get<std::array<std::uint32_t, 3>>();
    if (job >= control_.jobs() || rank >= control_.registration(job).hosts.workers.size() ||
        count > iterations_[job]) {
      throw InputError(
          fmt::format("standard input: found {}; allowed: [JOB, RANK, COUNT] with a job below {}, "
                      "one of its ranks, and at most its iterations",
                      of_worker.dump(), control_.jobs()));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      control_.iteration_ended(job, static_cast<std::uint16_t>(rank), now);
    }
  }
}

void ProcessControl::wait() {
  const Time until = control_.deadline();
  say({{"do", "wait"}, {"until_ps", until == kNever ? json() : json(until.count())}});
  out_.flush();
}

void ProcessControl::say(const ordered_json& action) {
  if (begun_) out_ << action.dump() << '\n';
}

void ProcessControl::say_of(const char* what, const JobHost& host) {
  ordered_json action{{"do", what}, {"job", host.job}};
  action[host.rank ? "worker" : "server"] = host.rank.value_or(host.server);
  say(action);
}

// ---- switches

void ProcessControl::order(std::size_t at, const std::string& words) {
  say({{"do", "order"}, {"switch", at}, {"order", words}});
}

void ProcessControl::install_job(std::size_t at, const Registration& registration) {
  order(at, fmt::format("register {} {} {}", registration.job, registration.id,
                        registration.tree.root()));
}

void ProcessControl::remove_job(std::size_t at, const Registration& registration) {
  order(at, fmt::format("remove {}", registration.job));
}

void ProcessControl::take_switch_down(std::size_t at) { order(at, "down"); }
void ProcessControl::bring_switch_back(std::size_t at) { order(at, "up"); }

// ---- hosts

void ProcessControl::start_workers(const Registration& registration, Time) {
  say({{"do", "start_workers"},
       {"job", registration.job},
       {"id", registration.id},
       {"first_iteration", registration.first_iteration}});
}

void ProcessControl::start_server(const Registration& registration, std::uint16_t index, Time) {
  say({{"do", "start_server"},
       {"job", registration.job},
       {"server", index},
       {"id", registration.id}});
}

void ProcessControl::stop(const JobHost& host, Time) { say_of("stop", host); }
void ProcessControl::pause(const JobHost& host, Time, Time) { say_of("pause", host); }
void ProcessControl::resume(const JobHost& host, Time) { say_of("resume", host); }

void ProcessControl::job_event(JobEvent event, const JobHost& host) {
  if (event == JobEvent::registered_again) {
    say({{"do", "count"}, {"job", host.job}, {"registrations", control_.registrations(host.job)}});
  } else if (event == JobEvent::failed) {
    say({{"do", "fail"},
         {"job", host.job},
         {"status", cluster::name_of(control_.status(host.job))},
         {"end_ps", control_.ended_at(host.job).count()}});
  }
}

}  // namespace ina::processes
