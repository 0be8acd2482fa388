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
 * Configures the simulator for a scenario, until this object is destroyed. It sets the time
 * resolution to picoseconds, selects the implementation by the scenario's key `engine`, and seeds
 * ns-3's random generators. Use it in programs that simulate only scenarios. Other programs
 * configure the simulator themselves.
 */
class InaOwnSimulator
{
  public:
    explicit InaOwnSimulator(const ina::scenarios::Scenario& scenario);
    /** Destroys the simulator and all nodes. */
    ~InaOwnSimulator();
    /** Sets the time resolution, unless it is set already. */
    static void SetResolution();
    InaOwnSimulator(const InaOwnSimulator&) = delete;
    InaOwnSimulator& operator=(const InaOwnSimulator&) = delete;
};

} // namespace ns3

#endif // INA_OWN_SIMULATOR_H
