/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * Measures the simulator's speed; each measurement runs in a process of its own.
 */
#include "other-work.h"
#include "peers-bench.h"
#include "scale-bench.h"
#include "star-bench.h"

#include "hw/fields/number_argument.hpp"
#include "hw/files/exit_status.hpp"
#include "hw/files/requested_file.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

namespace
{

const char* const WRITER = "ina bench --json";

struct Options
{
    std::string what = "star";
    unsigned rounds = 3;
    std::string htsim;
    std::string json;
};

ina::fields::Json
Measured(const Options& options)
{
    if (options.what == "scale")
    {
        return BenchScale(options.rounds);
    }
    return options.what == "peers" ? BenchPeers(options.rounds, options.htsim)
                                   : BenchStar(options.rounds);
}

void
CheckHtsim(const Options& options)
{
    if ((options.what == "peers") == options.htsim.empty())
    {
        throw CLI::ValidationError("--htsim", "allowed: with peers, which needs it");
    }
    if (!options.htsim.empty() && access(options.htsim.c_str(), X_OK) != 0)
    {
        throw CLI::ValidationError(
            "--htsim",
            fmt::format("found \"{}\"; allowed: the program htsim_roce", options.htsim));
    }
}

void
Bench(const Options& options)
{
    CheckHtsim(options);
    const ina::files::RequestedFile file("--json", options.json, ina::files::json_mark(WRITER));
    const OtherWork others;
    ina::fields::Json json = Measured(options);
    ina::files::print(others.Line());
    json["other_processors"] = others.Processors();
    json["written_by"] = WRITER;
    json["rounds"] = options.rounds;
    file.write(json.dump(2) + '\n');
}

void
ParseAndRun(CLI::App& app, int argc, char** argv, const std::function<void()>& run)
{
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& error)
    {
        if (error.get_exit_code() != 0)
        {
            throw;
        }
        app.exit(error); // --help
        return;
    }
    run();
}

} // namespace

int
main(int argc, char** argv)
{
    ina::files::survive_broken_pipes();
    CLI::App app("Measures the simulator's speed compared with stock ns-3 devices or htsim, or its "
                 "growth with the cluster",
                 "ina bench");
    Options options;
    app.add_option("WHAT",
                   options.what,
                   "scale: growth of time and memory, up to 1 024 workers; peers: comparison with "
                   "htsim (default: comparison with stock ns-3)")
        ->check(CLI::IsMember({"scale", "peers"}));
    app.add_option("--htsim", options.htsim, "program htsim_roce of csg-htsim, for peers")
        ->type_name("FILE");
    app.add_option("--rounds",
                   options.rounds,
                   "number of alternating measurements of each simulator (default: 3)")
        ->transform(ina::fields::whole_number({1, 100}));
    app.add_option("--json", options.json, "also write the measured numbers to this file")
        ->type_name("FILE");
    const auto endedBy = [](const std::exception& error, int status)
    {
        ina::files::report(fmt::format("ina: {}\n", ina::files::reason_of(error)));
        return status;
    };
    try
    {
        ParseAndRun(app, argc, argv, [&] { Bench(options); });
        ina::files::flush_standard_output();
        return 0;
    }
    catch (const CLI::ParseError& error)
    {
        return endedBy(error, ina::exit_status::kWrongInput);
    }
    catch (const ina::files::NotWritten& error)
    {
        return endedBy(error, ina::exit_status::kWrongInput);
    }
    catch (const std::exception& error)
    {
        return endedBy(error, ina::exit_status::kEnvironmentError);
    }
}
