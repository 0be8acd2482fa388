/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-own-simulator.h"

#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

namespace ns3
{

using ina::scenarios::Engine;

void
InaOwnSimulator::SetResolution()
{
    if (Time::GetResolution() != Time::PS) // ns-3 aborts if the resolution is set again after a run
    {
        Time::SetResolution(Time::PS);
    }
}

InaOwnSimulator::InaOwnSimulator(const ina::scenarios::Scenario& scenario)
{
    SetResolution();
    GlobalValue::Bind("SimulatorImplementationType",
                      StringValue(scenario.engine == Engine::fast ? "ns3::InaSimulatorImpl"
                                                                  : "ns3::DefaultSimulatorImpl"));
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(scenario.seed);
}

InaOwnSimulator::~InaOwnSimulator()
{
    Simulator::Destroy();
}

} // namespace ns3
