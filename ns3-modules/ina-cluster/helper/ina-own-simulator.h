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
 * Configures the simulator for a scenario as long as this object exists. It sets the time
 * resolution to picoseconds, selects the implementation by the key `engine`, and seeds ns-3's
 * random generators. It is meant for programs that simulate nothing else. Other programs configure
 * the simulator themselves.
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
