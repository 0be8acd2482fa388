// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/job_reader.hpp"

#include <fmt/format.h>
#include <cmath>
#include <utility>

#include "hw/fields/counted.hpp"
#include "hw/fields/object_writer.hpp"
#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/resolve/memory_estimate.hpp"

namespace ina::scenarios {

namespace {

ModelProfile read_one_profile(const ObjectReader& job, const Json& value,
                              const std::string& pointer, TraceFiles& files) {
  if (value.is_string()) {
    return files.profile(job.document(), pointer, value.get<std::string>());
  }
  if (!value.is_object()) {
    job.document().fail(
        pointer,
        fmt::format("found {}; allowed: a profile's name, the path of a .json file, or an object",
                    describe(value)));
  }
  ObjectReader reader(job.document(), value, pointer);
  auto profile =
      value.contains("from") ? read_scaled_profile(reader, files) : read_profile(reader, "inline");
  reader.finish();
  return profile;
}

/// Profiles that the jobs of a group use in turn; empty if the key is missing.
std::vector<ModelProfile> read_profiles(ObjectReader& job, TraceFiles& files) {
  const std::string allowed = "a profile, or an array of at least one";
  job.require("profile");
  const Json* value = job.find_wanted("profile", allowed);
  const auto pointer = job.pointer_of("profile");
  std::vector<ModelProfile> profiles;
  if (value != nullptr && !value->is_array()) {
    profiles.push_back(read_one_profile(job, *value, pointer, files));
  } else if (value != nullptr) {
    if (value->empty()) {
      job.refuse("profile", allowed);
    }
    for (std::size_t i = 0; i < value->size(); ++i) {
      profiles.push_back(read_one_profile(job, (*value)[i], pointer_to(pointer, i), files));
    }
  }
  return profiles;
}

/// A table written in the scenario itself: an array of factors per worker.
FactorTable read_factor_arrays(const ObjectReader& job, const Json& workers,
                               const std::string& pointer) {
  FactorTable table;
  const auto refuse = [&job](const Json& found, const std::string& place,
                             const std::string& allowed) {
    job.document().fail(place, fmt::format("found {}; allowed: {}", describe(found), allowed));
  };
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const auto row_pointer = pointer_to(pointer, w);
    const Json& row = workers[w];
    if (!row.is_array() || row.empty()) {
      refuse(row, row_pointer, "an array of the compute-time factors of a worker's iterations");
    }
    auto& factors = table.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double factor = row[i].is_number() ? row[i].get<double>() : 0;
      if (!(factor > 0 && factor <= kMaxComputeTimeFactor)) {
        refuse(row[i], pointer_to(row_pointer, i),
               fmt::format("a number above 0, at most {}", kMaxComputeTimeFactor));
      }
      factors.push_back(factor);
    }
  }
  return table;
}

FactorTable read_compute_time_factors(ObjectReader& job, TraceFiles& files) {
  const Json* value = job.find("compute_time_factors");
  if (value == nullptr) {
    return {};
  }
  const auto pointer = job.pointer_of("compute_time_factors");
  if (value->is_string()) {
    return files.compute_time_factors(job.document(), pointer, value->get<std::string>());
  }
  if (!value->is_array() || value->empty()) {
    job.refuse("compute_time_factors",
               "the path of a CSV file, or an array with an array of factors for each worker");
  }
  return read_factor_arrays(job, *value, pointer);
}

/// A list of hosts determines the number of workers.
void count_hosts(ObjectReader& reader, JobScenario& job) {
  if (!job.hosts) return;
  const std::size_t hosts = job.hosts->size();
  if (reader.find("workers") != nullptr && job.workers != hosts) {
    reader.fail("hosts",
                fmt::format("found {} for {}; allowed: one host per worker, or no \"workers\"",
                            counted(hosts, "host"), counted(job.workers, "worker")));
  }
  job.workers = static_cast<std::uint32_t>(hosts);
}

void read_group(ObjectReader& reader, Scenario& scenario, TraceFiles& files) {
  std::uint32_t count = 1;
  JobScenario job;
  visit_count(reader, count);
  visit_job(reader, job);
  count_hosts(reader, job);
  const auto profiles = read_profiles(reader, files);
  job.compute_time_factors = read_compute_time_factors(reader, files);
  reader.finish();
  if (scenario.jobs.size() + count > kMaxJobs) {
    reader.fail("count", fmt::format("found {} jobs in all; allowed: at most {}",
                                     scenario.jobs.size() + count, kMaxJobs));
  }
  std::uint64_t bytes = 0;
  for (std::uint32_t j = 0; j < count; ++j) {
    job.profile = profiles[j % profiles.size()];
    bytes += bytes_of(job);
    if (bytes > kMaxExperimentBytes) {
      reader.fail("count", fmt::format("found {0} whose layers and compute-time factors take more "
                                       "than {1} of memory; allowed: at most {1}",
                                       counted(count, "job"), format_bytes(kMaxExperimentBytes)));
    }
    scenario.jobs.push_back(job);
  }
}

}  // namespace

std::vector<std::string> read_jobs(ObjectReader& root, Scenario& scenario, TraceFiles& files) {
  root.require("jobs");
  const std::string allowed = "an object for equal jobs, or an array of at least one such object";
  const Json* value = root.find_wanted("jobs", allowed);
  std::vector<std::string> places;
  if (value == nullptr) {
    return places;
  }
  const auto pointer = root.pointer_of("jobs");
  if ((!value->is_object() && !value->is_array()) || (value->is_array() && value->empty())) {
    root.refuse("jobs", allowed);
  }
  const auto read = [&](const Json& group, const std::string& place) {
    ObjectReader reader(root.document(), group, place);
    read_group(reader, scenario, files);
    places.resize(scenario.jobs.size(), place);
  };
  if (value->is_object()) {
    read(*value, pointer);
  } else {
    for (std::size_t i = 0; i < value->size(); ++i) {
      read((*value)[i], pointer_to(pointer, i));
    }
  }
  return places;
}

Json job_to_json(const JobScenario& job) {
  ObjectWriter writer;
  visit_job(writer, job);
  ObjectWriter profile;
  visit_profile(profile, job.profile);
  if (!job.profile.send_order.empty()) {
    profile.json["send_order"] = job.profile.send_order;
  }
  writer.json["profile"] = std::move(profile.json);
  if (!job.compute_time_factors.empty()) {
    writer.json["compute_time_factors"] = job.compute_time_factors;
  }
  return std::move(writer.json);
}

}  // namespace ina::scenarios
