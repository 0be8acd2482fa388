/* SPDX-License-Identifier: GPL-2.0-only */
#include "peers-bench.h"

#include "measurement.h"
#include "other-work.h"

#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"

#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

const char* const SCENARIO = INA_SOURCE_DIR "/tests/benchmarks/peers.json";

constexpr unsigned VALUES = 363;   // per packet, which fill an MTU of 1500 bytes
constexpr unsigned PACKETS = 6888; // in the tensor, about 10 MB
constexpr unsigned MTU = 1500;     // bytes
// Packets that an output of a switch holds. With htsim's default, 15, 256 hosts stop each other.
constexpr unsigned QUEUE = 200;
constexpr unsigned SPINES = 2;
constexpr unsigned END_US = 100'000; // a ring takes less than 10 ms

struct Ring
{
    unsigned workers;
    unsigned racks;

    unsigned
    HostsOfARack() const
    {
        return workers / racks;
    }
    /// Number of packets that a worker sends in each step.
    unsigned
    PacketsOfAPart() const
    {
        return PACKETS / workers;
    }
    unsigned
    Steps() const
    {
        return 2 * (workers - 1);
    }
    unsigned
    Flows() const
    {
        return workers * Steps();
    }

    unsigned
    Packets() const
    {
        return Flows() * PacketsOfAPart();
    }
};

constexpr std::array<Ring, 3> RINGS{{{8, 2}, {64, 8}, {256, 16}}};

/// A temporary folder, which is removed with its files.
class Folder
{
  public:
    Folder() : m_path((std::filesystem::temp_directory_path() / "ina-XXXXXX").string())
    {
        if (mkdtemp(m_path.data()) == nullptr)
        {
            throw std::runtime_error("no temporary folder");
        }
    }

    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string
    File(const char* name) const
    {
        return m_path + '/' + name;
    }

  private:
    std::string m_path;
};

Measurement
MeasureOurs(const Ring& ring)
{
    return MeasureWholeScenario(SCENARIO,
                                {fmt::format("/jobs/workers={}", ring.workers),
                                 fmt::format("/topology/racks={}", ring.racks),
                                 fmt::format("/topology/hosts_per_rack={}", ring.HostsOfARack()),
                                 fmt::format("/jobs/profile/layers/0/parameters={}",
                                             ring.workers * ring.PacketsOfAPart() * VALUES)});
}

/// htsim's description of the leaf-spine, with links of 100 Gbps and 1 us.
std::string
TopologyOf(const Ring& ring)
{
    return fmt::format("Nodes {0}\nTiers 2\nPodsize {0}\n"
                       "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down {1}\nRadix_Up {2}\n"
                       "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed {3}\n"
                       "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down {4}\n"
                       "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\n",
                       ring.workers,
                       ring.HostsOfARack(),
                       SPINES,
                       ring.HostsOfARack() / SPINES,
                       ring.racks);
}

/// htsim's flows: the part of each worker travels along the ring, and each flow starts the next
/// one.
std::string
FlowsOf(const Ring& ring)
{
    const unsigned triggers = ring.Flows() - ring.workers;
    std::string text = fmt::format("Nodes {}\nConnections {}\nTriggers {}\n",
                                   ring.workers,
                                   ring.Flows(),
                                   triggers);
    unsigned flow = 0;
    unsigned trigger = 0;
    for (unsigned part = 0; part < ring.workers; ++part)
    {
        for (unsigned step = 0; step < ring.Steps(); ++step)
        {
            const unsigned from = (part + step) % ring.workers;
            text += fmt::format("{}->{} id {} ", from, (from + 1) % ring.workers, ++flow);
            text += step == 0 ? "start 0" : fmt::format("trigger {}", trigger);
            text += fmt::format(" size {}", ring.PacketsOfAPart() * MTU);
            if (step + 1 < ring.Steps())
            {
                text += fmt::format(" send_done_trigger {}", ++trigger);
            }
            text += '\n';
        }
    }
    for (unsigned id = 1; id <= triggers; ++id)
    {
        text += fmt::format("trigger id {} oneshot\n", id);
    }
    return text;
}

/// Number of flows whose end htsim reports in its output.
unsigned
FinishedFlowsIn(const std::string& output)
{
    std::ifstream lines(output);
    unsigned flows = 0;
    for (std::string line; std::getline(lines, line);)
    {
        flows += line.find(" finished at ") != std::string::npos ? 1 : 0;
    }
    return flows;
}

Measurement
MeasureHtsim(const std::string& htsim, const Ring& ring, uint64_t packetHops)
{
    const Folder folder;
    const std::string output = folder.File("output");
    ina::files::write(folder.File("topology"), TopologyOf(ring));
    ina::files::write(folder.File("flows"), FlowsOf(ring));
    std::vector<std::string> command{std::filesystem::absolute(htsim).string(),
                                     "-topo",
                                     folder.File("topology"),
                                     "-tm",
                                     folder.File("flows"),
                                     "-nodes",
                                     std::to_string(ring.workers),
                                     "-strat",
                                     "ecmp_host",
                                     "-paths",
                                     "1",
                                     "-host_queue_type",
                                     "prio",
                                     "-q",
                                     std::to_string(QUEUE),
                                     "-mtu",
                                     std::to_string(MTU),
                                     "-end",
                                     std::to_string(END_US),
                                     "-o",
                                     "/dev/null"};
    const pid_t child = fork();
    if (child == 0)
    {
        std::vector<char*> arguments;
        for (std::string& argument : command)
        {
            arguments.push_back(argument.data());
        }
        arguments.push_back(nullptr);
        if (chdir(folder.File("").c_str()) == 0 && // htsim writes idmap.txt
            std::freopen(output.c_str(), "w", stdout) != nullptr)
        {
            execv(arguments.front(), arguments.data());
        }
        _exit(1);
    }
    rusage usage{};
    int status = 0;
    wait4(child, &status, 0, &usage);
    const unsigned flows = status == 0 ? FinishedFlowsIn(output) : 0;
    if (flows != ring.Flows())
    {
        throw std::runtime_error(fmt::format("{}: {} of {} flows ended; allowed: the program "
                                             "htsim_roce of csg-htsim",
                                             htsim,
                                             flows,
                                             ring.Flows()));
    }
    return {packetHops, ProcessorSeconds(usage), 0};
}

} // namespace

ina::fields::Json
BenchPeers(unsigned rounds, const std::string& htsim)
{
    ina::files::print(fmt::format("{:>7}  {:>10}  {:>12}  {:>12}  {}\n",
                                  "workers",
                                  "packets",
                                  "INA Lab s",
                                  "htsim s",
                                  "htsim / INA Lab"));
    ina::files::flush_standard_output(); // or htsim's process would print the line again
    ina::fields::Json json;
    json["series"] = ina::fields::Json::array();
    for (const Ring& ring : RINGS)
    {
        const OtherWork others;
        Series ours{fmt::format("ina, ring, {} workers", ring.workers), {}};
        Series theirs{fmt::format("htsim, ring, {} workers", ring.workers), {}};
        for (unsigned round = 0; round < rounds; ++round)
        {
            ours.rounds.push_back(MeasureOurs(ring));
            theirs.rounds.push_back(MeasureHtsim(htsim, ring, ours.rounds.front().packetHops));
        }
        const double ratio = RatioOf(theirs, ours);
        ina::files::print(fmt::format("{:>7}  {:>10}  {:>12.2f}  {:>12.2f}  {}\n",
                                      ring.workers,
                                      ring.Packets(),
                                      ours.Seconds(),
                                      theirs.Seconds(),
                                      others.Verdict(fmt::format("{:.1f}", ratio))));
        ina::files::flush_standard_output();
        json["series"].push_back(ours.ToJson());
        json["series"].push_back(theirs.ToJson());
        json["ratio"][fmt::format("{} workers", ring.workers)] = ratio;
    }
    return json;
}
