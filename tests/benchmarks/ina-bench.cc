/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * Measures the simulator's speed; each measurement runs in a process of its own.
 */
#include "scale-bench.h"
#include "star-bench.h"

#include "hw/fields/number_argument.hpp"
#include "hw/files/exit_status.hpp"
#include "hw/files/requested_file.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <string>

namespace
{

const char* const WRITER = "ina bench --json";

void
Bench(bool scale, unsigned rounds, const std::string& jsonFile)
{
    const ina::files::RequestedFile file("--json", jsonFile, ina::files::json_mark(WRITER));
    ina::fields::Json json = scale ? BenchScale(rounds) : BenchStar(rounds);
    json["written_by"] = WRITER;
    json["rounds"] = rounds;
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
    CLI::App app("Measures the simulator's speed compared with stock ns-3 devices, or its growth "
                 "with the cluster",
                 "ina bench");
    std::string what = "star";
    unsigned rounds = 3;
    std::string json;
    app.add_option("WHAT",
                   what,
                   "scale: growth of time and memory, up to 1 024 workers (default: comparison "
                   "with stock ns-3)")
        ->check(CLI::IsMember({"scale"}));
    app.add_option("--rounds",
                   rounds,
                   "number of alternating measurements of each simulator (default: 3)")
        ->transform(ina::fields::whole_number({1, 100}));
    app.add_option("--json", json, "also write the measured numbers to this file")
        ->type_name("FILE");
    const auto endedBy = [](const std::exception& error, int status)
    {
        ina::files::report(fmt::format("ina: {}\n", ina::files::reason_of(error)));
        return status;
    };
    try
    {
        ParseAndRun(app, argc, argv, [&] { Bench(what == "scale", rounds, json); });
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
