/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/**
 * The simulator program: runs and validates scenario files and prints their schema.
 */
#include "build-info.h"
#include "journal-replay.h"
#include "run-estimate.h"
#include "sweep-runner.h"
#include "trace-command.h"

#include "hw/files/exit_status.hpp"
#include "hw/files/requested_file.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"

#include "hw/cluster/training/verification_error.hpp"
#include "hw/fields/counted.hpp"
#include "hw/fields/input_error.hpp"
#include "hw/fields/number_argument.hpp"
#include "hw/fields/quantity.hpp"
#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_schema.hpp"
#include "scenarios/results/column_list.hpp"
#include "scenarios/results/reported_runs.hpp"
#include "scenarios/results/system_list.hpp"
#include "scenarios/runs/cluster_plan.hpp"
#include "scenarios/runs/experiment_results.hpp"
#include "scenarios/runs/experiment_slice.hpp"
#include "scenarios/runs/finished_runs.hpp"
#include "scenarios/runs/machine_memory.hpp"
#include "scenarios/runs/result_folder.hpp"
#include "scenarios/runs/result_table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace
{

const char* const WRITER = "ina run --json";
const char* const TRACE_WRITER = "ina trace";

struct Options
{
    std::vector<std::string> files;
    std::vector<std::filesystem::path> slices; //!< folders
    std::vector<std::string> overrides;
    std::string seeds;
    std::string out{"results"};
    std::string traceFile;
    std::string json;
    std::string foldersFile;
    std::string journal;
    ns3::TraceRequest trace;
    std::size_t point{0};
    std::optional<std::uint32_t> rack; //!< none: the parameter servers' rack
    std::optional<ina::cluster::ProcessLimits> limits;
    std::optional<ina::runs::ExperimentSlice> slice; //!< none: all runs
    unsigned processes{std::max(std::thread::hardware_concurrency(), 1U)};
    bool replace{false};
    bool estimate{false};
    /// in ms; tests set a shorter one than the default of a minute
    std::optional<unsigned> progressInterval;
};

/// Build record of this program.
const ina::runs::Build&
ThisBuild()
{
    static const ina::runs::Build build{ns3::BuildInfo(), &ns3::DifferenceOfBuilds};
    return build;
}

std::vector<ina::scenarios::Experiment>
ReadAll(const Options& options)
{
    std::vector<ina::scenarios::Experiment> experiments;
    for (const std::string& file : options.files)
    {
        experiments.push_back(
            ina::scenarios::read_experiment(file, options.overrides, options.seeds));
        for (std::size_t i = 0; i + 1 < experiments.size(); ++i)
        {
            if (experiments[i].name == experiments.back().name)
            {
                throw ina::scenarios::InputError(
                    file,
                    "/name",
                    fmt::format("found \"{}\", which is also the name of {}, so both would write "
                                "to one folder; allowed: another \"name\" in one of them",
                                experiments[i].name,
                                options.files[i]));
            }
        }
    }
    return experiments;
}

int
Validate(const Options& options)
{
    for (const ina::scenarios::Experiment& experiment : ReadAll(options))
    {
        ina::files::print(fmt::format("{}: valid, {}\n",
                                      experiment.name,
                                      ina::scenarios::counted(experiment.points.size(), "run")));
    }
    return 0;
}

int
PrintSchema()
{
    ina::files::print(ina::scenarios::scenario_schema());
    return 0;
}

int
PrintColumns()
{
    ina::files::print(ina::results::column_list().dump(2) + '\n');
    return 0;
}

int
PrintSystems()
{
    ina::files::print(ina::results::system_list().dump(2) + '\n');
    return 0;
}

int
Plan(const Options& options)
{
    ina::scenarios::Json plans = ina::scenarios::Json::array();
    const std::vector<ina::scenarios::Experiment> experiments = ReadAll(options);
    for (std::size_t i = 0; i < experiments.size(); ++i)
    {
        plans.push_back(
            ina::runs::plan_of(options.files[i], experiments[i], options.limits, ThisBuild().info));
    }
    ina::files::print(plans.dump() + '\n');
    return 0;
}

/// The selected point, with the selected seed or else the first seed of the file.
const ina::scenarios::ExperimentPoint&
PointOf(const ina::scenarios::Experiment& experiment, const Options& options)
{
    if (!options.seeds.empty() && experiment.seeds.size() != 1)
    {
        throw CLI::ValidationError(
            "--seeds",
            fmt::format("found \"{}\"; allowed: a single seed", options.seeds));
    }
    const auto& points = experiment.points;
    const auto found =
        std::ranges::find(points, options.point, &ina::scenarios::ExperimentPoint::index);
    if (found == points.end())
    {
        throw CLI::ValidationError("--point",
                                   fmt::format("{}; allowed: a point below {}",
                                               options.point,
                                               points.size() / experiment.seeds.size()));
    }
    return *found;
}

const ina::scenarios::Experiment&
OnlyOne(const std::vector<ina::scenarios::Experiment>& experiments)
{
    if (experiments.size() != 1)
    {
        throw CLI::ValidationError(
            "FILE",
            fmt::format("{}; allowed: one", ina::scenarios::counted(experiments.size(), "file")));
    }
    return experiments.front();
}

int
Trace(const Options& options)
{
    const std::vector<ina::scenarios::Experiment> experiments = ReadAll(options);
    const ina::scenarios::Experiment& experiment = OnlyOne(experiments);
    const ina::scenarios::ExperimentPoint& point = PointOf(experiment, options);
    if (options.trace.fromPs >= options.trace.toPs)
    {
        throw CLI::ValidationError("--to",
                                   fmt::format("{}; allowed: a time after --from, which is {}",
                                               ina::scenarios::format_time(options.trace.toPs),
                                               ina::scenarios::format_time(options.trace.fromPs)));
    }
    if (options.trace.intervalPs <= 0)
    {
        throw CLI::ValidationError("--interval", "0s; allowed: a time above 0");
    }
    const std::string mark = ina::files::json_mark(TRACE_WRITER);
    const std::string path =
        options.traceFile.empty() ? experiment.name + ".trace.json" : options.traceFile;
    const ina::files::RequestedFile file("--out", path, mark);
    file.write(ns3::TraceOf(options.files.front(), point, options.trace, mark));
    ina::files::print(fmt::format("{}: open it in ui.perfetto.dev or chrome://tracing\n", path));
    return 0;
}

int
Replay(const Options& options)
{
    const std::vector<ina::scenarios::Experiment> experiments = ReadAll(options);
    const ina::scenarios::Experiment& experiment = OnlyOne(experiments);
    const ina::scenarios::ExperimentPoint& point = PointOf(experiment, options);
    ina::runs::check_for_testbed(options.files.front(), experiment);
    const auto& topology = point.combination->topology;
    if (topology.type != ina::scenarios::TopologyType::star)
    {
        throw ina::scenarios::InputError(
            options.files.front(),
            "/topology/type",
            fmt::format("found \"{}\"; allowed with a journal: \"star\", with or without racks",
                        ina::scenarios::name_of(topology.type)));
    }
    const std::uint32_t racks = topology.racks;
    const std::uint32_t rack = options.rack.value_or(racks - 1);
    if (rack >= racks)
    {
        throw CLI::ValidationError("--rack",
                                   fmt::format("{}; allowed: a rack below {}", rack, racks));
    }
    const ns3::Replayed replayed =
        ns3::Replay(ina::runs::limited_scenario(point, options.limits), rack, options.journal);
    const ina::scenarios::Json counts{{"arrivals", replayed.arrivals},
                                      {"decisions", replayed.decisions},
                                      {"departures", replayed.departures}};
    ina::files::print(counts.dump() + '\n');
    return 0;
}

/// Reads standard input and writes standard output.
int
PrintTables()
{
    constexpr const char* INPUT = "standard input";
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const ina::scenarios::Json tables =
        ina::results::tables_of(ina::scenarios::parse_strict_json(text, INPUT), INPUT);
    ina::files::print(tables.dump() + '\n');
    return 0;
}

std::filesystem::path
FolderOf(const ina::scenarios::Experiment& experiment, const Options& options)
{
    return std::filesystem::path(options.out) /
           ina::runs::folder_name_of(experiment, options.slice);
}

using Runs = std::vector<const ina::scenarios::ExperimentPoint*>;

void
ReportStop(const std::string& name, const Runs& runs, const std::filesystem::path& folder)
{
    const auto isThere = [&](const ina::scenarios::ExperimentPoint* run)
    { return ina::runs::has_run_results(ina::runs::run_folder(folder, *run), *run, ThisBuild()); };
    const auto finished = std::ranges::count_if(runs, isThere);
    ina::files::report(fmt::format("ina: {}: stopped with {} of {} finished",
                                   name,
                                   finished,
                                   ina::scenarios::counted(runs.size(), "run")));
    if (finished != 0)
    {
        ina::files::report(fmt::format("; {} kept in {} and not run again",
                                       finished == 1 ? "it is" : "they are",
                                       ina::scenarios::on_one_line(folder.string())));
    }
    ina::files::report("\n");
}

/// Merges the runs and prints the summary.
void
Summarise(const ina::scenarios::Experiment& experiment,
          const std::filesystem::path& folder,
          ina::scenarios::Json& summaries)
{
    const ina::scenarios::Json manifest =
        ina::runs::write_experiment_results(folder, experiment, ThisBuild());
    const ina::runs::Summary summary =
        ina::runs::summarise_experiment(experiment, manifest.at("points"));
    ina::files::print(ina::runs::format_summary(summary));
    if (experiment.seeds.size() > 1)
    {
        ina::files::print(fmt::format("means over {} seeds\n", experiment.seeds.size()));
    }
    for (const ina::scenarios::Json& finding : manifest.at("findings"))
    {
        ina::files::print(fmt::format("finding: {}\n", finding.at("text").get<std::string>()));
    }
    summaries.push_back(
        {{"name", experiment.name}, {"folder", folder.string()}, {"rows", summary.rows}});
}

int
RunExperiment(const ina::scenarios::Experiment& experiment,
              const Options& options,
              ina::scenarios::Json& summaries)
{
    const std::filesystem::path folder = FolderOf(experiment, options);
    const Runs runs = ina::runs::runs_of(experiment, options.slice);
    std::optional<std::chrono::milliseconds> interval;
    if (options.progressInterval)
    {
        interval = std::chrono::milliseconds(*options.progressInterval);
    }
    ns3::SweepRunner runner(experiment.name,
                            runs,
                            folder,
                            ThisBuild(),
                            options.processes,
                            interval);
    const int status = runner.Run();
    if (status != 0)
    {
        ReportStop(experiment.name, runs, folder);
        return status;
    }
    if (options.slice)
    {
        ina::files::print(fmt::format("{}: slice {}/{}, {} of {}\n",
                                      experiment.name,
                                      options.slice->number,
                                      options.slice->of,
                                      runs.size(),
                                      ina::scenarios::counted(experiment.points.size(), "run")));
    }
    else
    {
        Summarise(experiment, folder, summaries);
    }
    if (runner.PointsReused() != 0)
    {
        ina::files::print(fmt::format("{} of {} {} there already\n",
                                      runner.PointsReused(),
                                      ina::scenarios::counted(runs.size(), "run"),
                                      runner.PointsReused() == 1 ? "was" : "were"));
    }
    ina::files::print(fmt::format("results: {}\n", folder.string()));
    std::fflush(stdout);
    return 0;
}

/// Creates the result folders. Fails before any run if a folder has other results.
void
PrepareFolders(const std::vector<ina::scenarios::Experiment>& experiments, const Options& options)
{
    for (const ina::scenarios::Experiment& experiment : experiments)
    {
        const std::filesystem::path folder = FolderOf(experiment, options);
        ina::runs::make_result_folder(folder);
        ina::runs::lock_result_folder(folder);
        ina::runs::check_experiment_of_runs(folder, experiment);
        if (!options.replace)
        {
            ina::runs::check_build_of_runs(folder, ThisBuild());
        }
    }
    for (const ina::scenarios::Experiment& experiment : experiments)
    {
        const std::filesystem::path folder = FolderOf(experiment, options);
        ina::runs::remove_runs_of_other_builds(folder, ThisBuild());
        if (options.slice)
        {
            ina::runs::write_slice(folder, experiment, *options.slice, ThisBuild());
        }
    }
}

/// Passes the names of the result folders to the launcher, which draws their figures.
void
WriteFoldersFile(const Options& options, const ina::scenarios::Json& summaries)
{
    if (options.foldersFile.empty())
    {
        return;
    }
    std::string folders;
    for (const ina::scenarios::Json& summary : summaries)
    {
        folders += summary.at("folder").get<std::string>() + '\n';
    }
    ina::files::write(options.foldersFile, folders);
}

void
PrintEstimates(const std::vector<ina::scenarios::Experiment>& experiments, const Options& options)
{
    for (const ina::scenarios::Experiment& experiment : experiments)
    {
        ina::files::print(ns3::EstimateRuns(experiment.name,
                                            ina::runs::runs_of(experiment, options.slice),
                                            options.processes));
    }
    WriteFoldersFile(options, ina::scenarios::Json::array());
}

int
Run(const Options& options)
{
    const std::vector<ina::scenarios::Experiment> experiments = ReadAll(options);
    if (options.estimate)
    {
        PrintEstimates(experiments, options);
        return 0;
    }
    for (std::size_t i = 0; i < experiments.size(); ++i)
    {
        ina::runs::check_machine_memory(options.files[i], experiments[i]);
    }
    const ina::files::RequestedFile json("--json", options.json, ina::files::json_mark(WRITER));
    PrepareFolders(experiments, options);
    ns3::SweepRunner::CatchSignals();
    ina::scenarios::Json summaries = ina::scenarios::Json::array();
    int status = 0;
    for (const ina::scenarios::Experiment& experiment : experiments)
    {
        status = RunExperiment(experiment, options, summaries);
        if (status != 0)
        {
            break;
        }
    }
    WriteFoldersFile(options, summaries);
    if (status == 0)
    {
        const ina::scenarios::Json content{{"written_by", WRITER}, {"experiments", summaries}};
        json.write(content.dump(2) + '\n');
    }
    return status;
}

int
MergeAll(const Options& options)
{
    const std::string folder =
        ina::runs::merge_slices(options.slices, options.out, &ns3::DifferenceOfBuilds).string();
    ina::files::print(fmt::format("results: {}\n", folder));
    std::fflush(stdout);
    WriteFoldersFile(options, ina::scenarios::Json::array({{{"folder", folder}}}));
    return 0;
}

CLI::Validator
NotEmpty(const std::string& allowed)
{
    return {[allowed](const std::string& text)
            { return text.empty() ? "found \"\"; allowed: " + allowed : std::string(); },
            ""};
}

constexpr uint64_t MOST = std::numeric_limits<uint32_t>::max();

CLI::Validator
WholeNumber(uint64_t least, uint64_t most)
{
    return ina::fields::whole_number({least, most});
}

void
AddInputs(CLI::App& command, Options& options)
{
    command.add_option("FILE", options.files, "scenario files")->required();
    command
        .add_option(
            "--set",
            options.overrides,
            "set a key; a swept key is then no longer swept: --set /jobs/count=4 (several times)")
        ->type_name("/KEY=VALUE")
        ->allow_extra_args(false);
    command.add_option("--seeds", options.seeds, "seeds to use instead of those of the file")
        ->type_name("1-5")
        ->check(NotEmpty("seeds such as 1-5 or 1,3,7-9"));
}

int64_t
ParseTime(const std::string& option, const std::string& text)
{
    try
    {
        return ina::fields::parse_time(text);
    }
    catch (const ina::fields::QuantityError& error)
    {
        throw CLI::ValidationError(
            option,
            fmt::format("found \"{}\", {}; allowed: a time such as 20ms", text, error.what()));
    }
}

/// Adds the options for limits of processes on real packets. Either both or none must be given.
void
AddLimits(CLI::App& command, Options& options)
{
    const auto limits = [&options]() -> ina::cluster::ProcessLimits&
    { return options.limits ? *options.limits : options.limits.emplace(); };
    CLI::Option* timeout =
        command
            .add_option_function<std::string>(
                "--least-timeout",
                [limits](const std::string& text)
                { limits().least_timeout = ina::Time(ParseTime("--least-timeout", text)); },
                "minimum of all time-outs")
            ->type_name("TIME");
    CLI::Option* packets = command
                               .add_option_function<std::uint32_t>(
                                   "--most-packets",
                                   [limits](std::uint32_t most) { limits().most_packets = most; },
                                   "maximum number of packets in flight per worker")
                               ->type_name("N")
                               ->transform(WholeNumber(1, MOST));
    timeout->needs(packets);
    packets->needs(timeout);
}

void
AddTraceOptions(CLI::App& trace, Options& options)
{
    const auto time = [&trace](const std::string& name, int64_t& value, const std::string& help)
    {
        trace
            .add_option_function<std::string>(
                name,
                [name, &value](const std::string& text) { value = ParseTime(name, text); },
                help)
            ->type_name("TIME");
    };
    time("--from", options.trace.fromPs, "start of the recorded time window (default: 0)");
    time("--to",
         options.trace.toPs,
         "end of the recorded time window (default: the end of the run)");
    time("--interval",
         options.trace.intervalPs,
         "interval between two values of a queue length (default: 1us)");
    trace.add_flag("--frames", options.trace.frames, "also record each frame on each link");
    trace.add_option("--point", options.point, "number of the point of the sweep (default: 0)")
        ->type_name("N")
        ->transform(WholeNumber(0, MOST));
    trace.add_option("--out", options.traceFile, "output file (default: NAME.trace.json)")
        ->type_name("FILE")
        ->check(NotEmpty("a file"));
}

void
AddResultOptions(CLI::App& command, Options& options)
{
    command
        .add_option("--out", options.out, "parent folder of the result folders (default: results)")
        ->type_name("DIR")
        ->check(NotEmpty("a folder"));
    command.add_option("--folders-file", options.foldersFile)->group("");
}

void
AddRunOptions(CLI::App& run, Options& options)
{
    run.add_option("--parallel",
                   options.processes,
                   "number of parallel runs (default: the number of processors)")
        ->type_name("N")
        ->transform(WholeNumber(1, 1024));
    run.add_option_function<std::string>(
           "--jobs",
           [](const std::string&)
           { throw CLI::ValidationError("--jobs", "no such option; allowed: --parallel N"); })
        ->group("");
    AddResultOptions(run, options);
    run.add_flag("--replace", options.replace, "repeat runs that another build made");
    CLI::Option* json =
        run.add_option(
               "--json",
               options.json,
               "also write the printed table to a file; with -, write only this to standard output")
            ->type_name("FILE")
            ->check(NotEmpty("a file"));
    run.add_flag_callback(
        "--quiet",
        [] { ina::files::mute_standard_output(); },
        "print nothing to standard output, except the output of --json -");
    run.add_flag("--estimate",
                 options.estimate,
                 "only print the packet-hops, memory and time that the runs will need")
        ->excludes(json);
    run.add_option_function<std::string>(
           "--slice",
           [&options](const std::string& text)
           {
               options.slice = ina::runs::parse_slice(text);
               if (!options.slice)
               {
                   throw CLI::ValidationError(
                       "--slice",
                       fmt::format("found \"{}\"; allowed: N/M with N from 1 to M, M up to {}, "
                                   "such as 3/16",
                                   text,
                                   ina::scenarios::kMaxPoints));
               }
           },
           "run only every M-th point, beginning with the N-th; ina merge combines the results of "
           "all slices")
        ->type_name("N/M")
        ->excludes(json);
    run.add_option("--progress-interval", options.progressInterval)
        ->group("")
        ->transform(WholeNumber(0, MOST));
}

} // namespace

int
main(int argc, char** argv)
try
{
    ina::files::survive_broken_pipes();
    Options options;
    CLI::App app("Simulates in-network aggregation in a cluster", "ina");
    app.require_subcommand(1);
    CLI::App* run = app.add_subcommand("run", "Runs scenarios and writes their results");
    AddInputs(*run, options);
    AddRunOptions(*run, options);
    CLI::App* merge = app.add_subcommand(
        "merge",
        "Combines the result folders of all slices, made by run --slice, into one result folder");
    merge->add_option("DIR", options.slices, "result folders of all slices")->required();
    AddResultOptions(*merge, options);
    CLI::App* trace =
        app.add_subcommand("trace",
                           "Writes a time line of a run, for ui.perfetto.dev and chrome://tracing");
    AddInputs(*trace, options);
    AddTraceOptions(*trace, options);
    CLI::App* validate = app.add_subcommand("validate", "Checks scenarios without running them");
    AddInputs(*validate, options);
    CLI::App* schema =
        app.add_subcommand("schema",
                           "Prints the JSON Schema of scenarios (scenarios/scenario.schema.json)");
    CLI::App* columns = app.add_subcommand(
        "columns",
        "Prints the columns of the result tables as JSON (scenarios/column_tables.py)");
    CLI::App* systems =
        app.add_subcommand("systems", "Prints the systems as JSON (analysis/systems.json)");
    CLI::App* plan =
        app.add_subcommand("plan", "Prints, as JSON, what running scenarios on real packets needs");
    AddInputs(*plan, options);
    AddLimits(*plan, options);
    CLI::App* replay = app.add_subcommand("replay",
                                          "Passes the frames of a testbed's switch to the "
                                          "simulated switch, and compares the decisions");
    AddInputs(*replay, options);
    AddLimits(*replay, options);
    replay->add_option("--journal", options.journal, "journal that ina-switch wrote")
        ->required()
        ->type_name("FILE");
    replay
        ->add_option("--rack",
                     options.rack,
                     "number of the rack of that switch (default: the parameter servers' rack)")
        ->type_name("N")
        ->transform(WholeNumber(0, MOST));
    replay->add_option("--point", options.point, "number of the point of the sweep that was run")
        ->type_name("N")
        ->transform(WholeNumber(0, MOST));
    CLI::App* tables = app.add_subcommand("tables",
                                          "Reads reports of runs on real packets from standard "
                                          "input and prints their tables as JSON");
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& error)
    {
        if (error.get_exit_code() == 0)
        {
            app.name(*plan || *replay || *schema || *columns || *systems || *tables
                         ? "ina-sim"
                         : "ina"); // the launcher does not have these commands
            app.exit(error);       // includes --help
            ina::files::flush_standard_output();
            return 0;
        }
        ina::files::report(fmt::format("ina: {}\n", ina::scenarios::on_one_line(error.what())));
        return ina::exit_status::kWrongInput;
    }
    const int status = *run       ? Run(options)
                       : *merge   ? MergeAll(options)
                       : *trace   ? Trace(options)
                       : *schema  ? PrintSchema()
                       : *columns ? PrintColumns()
                       : *systems ? PrintSystems()
                       : *plan    ? Plan(options)
                       : *replay  ? Replay(options)
                       : *tables  ? PrintTables()
                                  : Validate(options);
    ina::files::flush_standard_output();
    return status;
}
catch (const ina::scenarios::InputError& error)
{
    std::fprintf(stderr, "ina: %s\n", error.what());
    return ina::exit_status::kWrongInput;
}
catch (const CLI::ValidationError& error)
{
    std::fprintf(stderr, "ina: %s\n", ina::scenarios::on_one_line(error.what()).c_str());
    return ina::exit_status::kWrongInput;
}
catch (const ina::cluster::VerificationError& error)
{
    std::fprintf(stderr, "ina: %s\n", error.what());
    return ina::exit_status::kFailedRun;
}
catch (const ina::files::NotWritten& error)
{
    std::fprintf(stderr, "ina: %s\n", ina::scenarios::on_one_line(error.what()).c_str());
    return ina::exit_status::kWrongInput;
}
catch (const ina::runs::ResultFolderError& error)
{
    std::fprintf(stderr, "ina: --out: %s\n", ina::scenarios::on_one_line(error.what()).c_str());
    return ina::exit_status::kWrongInput;
}
catch (const std::bad_alloc&)
{
    std::fprintf(stderr, "ina: out of memory: the scenarios are too large for this machine\n");
    return ina::exit_status::kEnvironmentError;
}
catch (const std::exception& error)
{
    std::fprintf(stderr,
                 "ina: %s\n",
                 ina::scenarios::on_one_line(ina::files::reason_of(error)).c_str());
    return ina::exit_status::kEnvironmentError;
}
