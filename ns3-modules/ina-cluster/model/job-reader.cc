/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-reader.h"

#include "counted.h"
#include "memory-estimate.h"
#include "object-writer.h"
#include "scenario-fields.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

ModelProfile
ReadOneProfile(const ObjectReader& job,
               const Json& value,
               const std::string& pointer,
               TraceFiles& files)
{
    if (value.is_string())
    {
        return files.Profile(job.Document(), pointer, value.get<std::string>());
    }
    if (!value.is_object())
    {
        job.Document().Fail(
            pointer,
            fmt::format(
                "found {}; allowed: a profile's name, the path of a .json file, or an object",
                Describe(value)));
    }
    ObjectReader reader(job.Document(), value, pointer);
    auto profile = ReadProfile(reader, "inline");
    reader.Finish();
    return profile;
}

/// The profiles that the jobs of a group take in turn; none if the key is missing.
std::vector<ModelProfile>
ReadProfiles(ObjectReader& job, TraceFiles& files)
{
    job.Require("profile");
    const Json* value = job.Find("profile");
    const auto pointer = job.PointerOf("profile");
    std::vector<ModelProfile> profiles;
    if (value != nullptr && !value->is_array())
    {
        profiles.push_back(ReadOneProfile(job, *value, pointer, files));
    }
    else if (value != nullptr)
    {
        if (value->empty())
        {
            job.Refuse("profile", "a profile, or an array of at least one");
        }
        for (std::size_t i = 0; i < value->size(); ++i)
        {
            profiles.push_back(ReadOneProfile(job, (*value)[i], PointerTo(pointer, i), files));
        }
    }
    return profiles;
}

/// A table that stands in the scenario itself: an array of factors for each worker.
SpeedTable
ReadSpeedArrays(const ObjectReader& job, const Json& workers, const std::string& pointer)
{
    SpeedTable table;
    const auto refuse =
        [&job](const Json& found, const std::string& place, const std::string& allowed)
    { job.Document().Fail(place, fmt::format("found {}; allowed: {}", Describe(found), allowed)); };
    for (std::size_t w = 0; w < workers.size(); ++w)
    {
        const auto row_pointer = PointerTo(pointer, w);
        const Json& row = workers[w];
        if (!row.is_array() || row.empty())
        {
            refuse(row,
                   row_pointer,
                   "an array of the compute-time factors of a worker's iterations");
        }
        auto& factors = table.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const double factor = row[i].is_number() ? row[i].get<double>() : 0;
            if (!(factor > 0 && factor <= MAX_SPEED_FACTOR))
            {
                refuse(row[i],
                       PointerTo(row_pointer, i),
                       fmt::format("a number above 0, at most {}", MAX_SPEED_FACTOR));
            }
            factors.push_back(factor);
        }
    }
    return table;
}

SpeedTable
ReadSpeeds(ObjectReader& job, TraceFiles& files)
{
    const Json* value = job.Find("speeds");
    if (value == nullptr)
    {
        return {};
    }
    const auto pointer = job.PointerOf("speeds");
    if (value->is_string())
    {
        return files.Speeds(job.Document(), pointer, value->get<std::string>());
    }
    if (!value->is_array() || value->empty())
    {
        job.Refuse("speeds",
                   "the path of a CSV file, or an array with an array of factors for each worker");
    }
    return ReadSpeedArrays(job, *value, pointer);
}

/// Says of a job that is larger than the whole topology just that, instead of the limit of any job.
void
CheckFits(ObjectReader& job, std::uint32_t hosts)
{
    const Json* workers = job.Find("workers");
    if (workers != nullptr && workers->is_number_unsigned() && *workers > hosts)
    {
        job.Fail("workers",
                 fmt::format("{}, but the topology has {}",
                             Counted(workers->get<std::uint64_t>(), "worker"),
                             Counted(hosts, "host")));
    }
}

void
ReadGroup(ObjectReader& reader, Scenario& scenario, TraceFiles& files)
{
    std::uint32_t count = 1;
    JobScenario job;
    reader.Integer("count", count, Bounds<std::uint32_t>{1, MAX_JOBS});
    CheckFits(reader, scenario.topology.hosts);
    VisitJob(reader, job);
    const auto profiles = ReadProfiles(reader, files);
    job.speeds = ReadSpeeds(reader, files);
    reader.Finish();
    if (scenario.jobs.size() + count > MAX_JOBS)
    {
        reader.Fail("count",
                    fmt::format("{} jobs in all; allowed: at most {}",
                                scenario.jobs.size() + count,
                                MAX_JOBS));
    }
    std::uint64_t bytes = 0;
    for (std::uint32_t j = 0; j < count; ++j)
    {
        job.profile = profiles[j % profiles.size()];
        bytes += BytesOf(job);
        if (bytes > MAX_EXPERIMENT_BYTES)
        {
            reader.Fail("count",
                        fmt::format("{}, whose layers and speeds take more than {} of memory; "
                                    "allowed: at most that",
                                    Counted(count, "job"),
                                    FormatBytes(MAX_EXPERIMENT_BYTES)));
        }
        scenario.jobs.push_back(job);
    }
}

} // namespace

std::vector<std::string>
ReadJobs(ObjectReader& root, Scenario& scenario, TraceFiles& files)
{
    root.Require("jobs");
    const Json* value = root.Find("jobs");
    std::vector<std::string> places;
    if (value == nullptr)
    {
        return places;
    }
    const auto pointer = root.PointerOf("jobs");
    if ((!value->is_object() && !value->is_array()) || (value->is_array() && value->empty()))
    {
        root.Refuse("jobs", "an object for equal jobs, or an array of at least one such object");
    }
    const auto read = [&](const Json& group, const std::string& place)
    {
        ObjectReader reader(root.Document(), group, place);
        ReadGroup(reader, scenario, files);
        places.resize(scenario.jobs.size(), place);
    };
    if (value->is_object())
    {
        read(*value, pointer);
    }
    else
    {
        for (std::size_t i = 0; i < value->size(); ++i)
        {
            read((*value)[i], PointerTo(pointer, i));
        }
    }
    return places;
}

Json
JobToJson(const JobScenario& job)
{
    ObjectWriter writer;
    VisitJob(writer, job);
    ObjectWriter profile;
    VisitProfile(profile, job.profile);
    if (!job.profile.send_order.empty())
    {
        profile.json["send_order"] = job.profile.send_order;
    }
    writer.json["profile"] = std::move(profile.json);
    if (!job.speeds.empty())
    {
        writer.json["speeds"] = job.speeds;
    }
    return std::move(writer.json);
}

} // namespace ns3
