/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_JOURNAL_REPLAY_H
#define INA_JOURNAL_REPLAY_H

#include "scenarios/keys/scenario.hpp"

#include <cstdint>
#include <string>

namespace ns3
{

struct Replayed
{
    std::uint64_t arrivals{0};
    std::uint64_t decisions{0};
    std::uint64_t departures{0};
};

/**
 * Replays a journal of a testbed's switch: passes the frames that arrived there to rack switch
 * `rack` of a simulated cluster, at the same times and in the same order. `journal` has the format
 * of switch-models/software/journal.hpp. If a decision or departing frame differs, throws
 * VerificationError with its line. Throws InputError if the journal cannot be read.
 */
Replayed Replay(ina::scenarios::Scenario scenario, std::uint32_t rack, const std::string& journal);

} // namespace ns3

#endif // INA_JOURNAL_REPLAY_H
