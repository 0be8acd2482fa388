/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_CLUSTER_TEST_SUPPORT_H
#define INA_CLUSTER_TEST_SUPPORT_H

#include "ns3/ina-cluster-run.h"
#include "ns3/ina-own-simulator.h"
#include "scenarios/resolve/resolved.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "tests/support/every_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

inline std::string
NameOfSystem(const testing::TestParamInfo<ina::scenarios::System>& info)
{
    return std::string(ina::cluster::name_of(info.param));
}

constexpr int64_t US = 1'000'000; // in picoseconds

/** A layer whose gradient has `fragments` fragments of `values` values each. */
inline ina::cluster::LayerProfile
MakeLayer(uint64_t fragments, int64_t forward, int64_t backward, uint64_t values = 62)
{
    return {"layer", fragments * values, forward, backward};
}

/** A scenario with default values, but with equal link delays, so that tests can compute times. */
inline ina::scenarios::Scenario
DefaultsWithEqualLinks()
{
    ina::scenarios::Scenario scenario;
    scenario.topology.link.delay_spread_ps = 0;
    scenario.topology.uplink.delay_spread_ps = 0;
    scenario.topology.core.delay_spread_ps = 0;
    return scenario;
}

/** A scenario with a single job, one host per worker, and equal link delays. */
inline ina::scenarios::Scenario
MakeScenario(ina::scenarios::System system,
             uint32_t workers,
             std::vector<ina::cluster::LayerProfile> layers)
{
    ina::scenarios::Scenario scenario = DefaultsWithEqualLinks();
    scenario.system = system;
    scenario.topology.hosts = workers;
    scenario.topology.parameter_servers = 1;
    scenario.time_limit_ps = 1'000'000 * US;
    ina::scenarios::JobScenario job;
    job.workers = workers;
    job.profile.name = "test";
    job.profile.layers = std::move(layers);
    scenario.jobs.push_back(job);
    return scenario;
}

/** A scenario of MakeScenario() whose job has one tensor in one partition. */
inline ina::scenarios::Scenario
MakeOneTensor(ina::scenarios::System system, uint32_t workers, uint64_t fragments, uint64_t values)
{
    auto scenario = MakeScenario(system, workers, {MakeLayer(fragments, 0, 0, values)});
    ina::cluster::ModelProfile& profile = scenario.jobs.front().profile;
    profile.partition_bytes = sizeof(int32_t) * profile.layers.front().parameters;
    return scenario;
}

/** Puts the first job's workers into at least two racks of at most 32 hosts, under four spines. */
inline void
PutIntoRacks(ina::scenarios::Scenario& scenario)
{
    const uint32_t workers = scenario.jobs.front().workers;
    ina::scenarios::TopologyScenario& topology = scenario.topology;
    topology.type = ina::scenarios::TopologyType::leaf_spine;
    topology.hosts_per_rack = std::min(uint32_t{32}, workers / 2);
    topology.racks = workers / topology.hosts_per_rack;
    topology.spines = 4;
}

/** Makes each uplink as fast as the links of all hosts in a rack together. */
inline void
WidenUplinks(ina::scenarios::Scenario& scenario)
{
    scenario.topology.uplink.rate_bps =
        scenario.topology.link.rate_bps * scenario.topology.hosts_per_rack;
}

inline ina::scenarios::Scenario
WithSizes(const ina::scenarios::Scenario& scenario)
{
    return ina::scenarios::with_sizes(scenario,
                                      ina::scenarios::Network(scenario.topology, scenario.seed));
}

/** A fault of a worker, a switch or a job; times in picoseconds. */
inline ina::scenarios::NodeFaultScenario
Fault(ina::faults::NodeFault kind, int64_t at, int64_t duration, uint32_t job, uint16_t worker)
{
    ina::scenarios::NodeFaultScenario fault;
    fault.fault = kind;
    fault.at = ina::Time(at);
    fault.duration = ina::Time(duration);
    fault.job = job;
    fault.worker = worker;
    return fault;
}

inline ina::scenarios::NodeFaultScenario
FaultOfServer(ina::faults::NodeFault kind,
              int64_t at,
              int64_t duration,
              uint32_t job,
              uint16_t server)
{
    ina::scenarios::NodeFaultScenario fault = Fault(kind, at, duration, job, 0);
    fault.server = server;
    return fault;
}

/** Loss of each frame with a probability of 0.01 on the links that match the pattern `link`. */
inline ina::scenarios::LinkFaultsScenario
Losses(const std::string& link)
{
    ina::scenarios::LinkFaultsScenario faults;
    faults.link = link;
    faults.loss = 0.01;
    return faults;
}

using ina::results::FlowRow;
using ina::results::IterationRow;
using ina::results::JobRow;
using ina::results::LinkRow;
using ina::results::LinkSeriesRow;
using ina::results::OccupationRow;
using ina::results::PacketRow;
using ina::results::SwitchRow;

/** Time at which the last worker ended an iteration, in picoseconds. */
inline int64_t
EndOf(const IterationRow& iteration)
{
    return iteration.start + iteration.span;
}

/** Number of frames sent, by link name. */
inline std::map<std::string, uint64_t>
FramesByLink(const InaRunResult& result)
{
    std::map<std::string, uint64_t> frames;
    for (const LinkRow& link : result.links)
    {
        frames[link.link] = link.frames_sent;
    }
    return frames;
}

/** Runs a scenario in a new simulation. */
inline InaRunResult
RunAlone(const ina::scenarios::Scenario& scenario, InaRunSinks sinks = {})
{
    const InaOwnSimulator simulator(scenario);
    return InaClusterRun(scenario, std::move(sinks)).Run();
}

/** Runs the scenario with both engines and expects equal ends, packet-hops and frame counts. */
inline void
ExpectBothEnginesAgree(ina::scenarios::Scenario scenario)
{
    const InaRunResult fast = RunAlone(scenario);
    scenario.engine = ina::scenarios::Engine::reference;
    const InaRunResult reference = RunAlone(scenario);
    EXPECT_EQ(EndOf(fast.iterations[0].back()), EndOf(reference.iterations[0].back()));
    EXPECT_EQ(fast.packetHops, reference.packetHops);
    EXPECT_EQ(FramesByLink(fast), FramesByLink(reference));
}

/** Runs a scenario with losses on all links, and expects all jobs to finish. */
inline void
ExpectAllToFinishWithLosses(ina::scenarios::Scenario scenario)
{
    scenario.faults.links = {Losses("all")};
    const InaRunResult result = RunAlone(scenario);
    for (const JobRow& job : result.jobs)
    {
        EXPECT_EQ(job.status, ina::cluster::JobStatus::finished) << "seed " << scenario.seed;
    }
}

/** Runs three jobs, kills the first one at `atPs`, and expects the others to finish. */
inline void
ExpectTheOthersToFinishWithoutTheFirst(ina::scenarios::Scenario scenario, int64_t atPs)
{
    scenario.faults.nodes = {Fault(ina::faults::NodeFault::job_is_killed, atPs, 0, 0, 0)};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::killed);
    EXPECT_EQ(result.jobs[1].status, ina::cluster::JobStatus::finished);
    EXPECT_EQ(result.jobs[2].status, ina::cluster::JobStatus::finished);
}

} // namespace ns3

#endif // INA_CLUSTER_TEST_SUPPORT_H
