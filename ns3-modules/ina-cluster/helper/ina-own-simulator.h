/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_OWN_SIMULATOR_H
#define INA_OWN_SIMULATOR_H

#include "scenarios/keys/scenario.hpp"

namespace ns3
{

/**
 * \ingroup ina-cluster
 * Configures the simulator for a scenario while this object lives: time in picoseconds, the
 * implementation of the key `engine`, and ns-3's random generators by the seed. It is for programs
 * that simulate nothing else. Programs with a simulation of their own make these choices
 * themselves.
 */
class InaOwnSimulator
{
  public:
    explicit InaOwnSimulator(const ina::scenarios::Scenario& scenario);
    /** Destroys the simulator and all nodes. */
    ~InaOwnSimulator();
    InaOwnSimulator(const InaOwnSimulator&) = delete;
    InaOwnSimulator& operator=(const InaOwnSimulator&) = delete;
};

} // namespace ns3

#endif // INA_OWN_SIMULATOR_H
