// SPDX-License-Identifier: BSD-3-Clause
// The parts of the hosts' state in which not every bit matters.
#pragma once

#include "hw/protocol/server/float_collector.hpp"
#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/fragment_tracker.hpp"
#include "hw/protocol/transport/peer_worker.hpp"
#include "hw/protocol/transport/result_order.hpp"
#include "tests/exploration/archive.hpp"

namespace ina::exploration {

void visit(Archive& archive, Frame& frame);

/// Without what was forgotten: fragments out of the ring, sendings that are no longer in flight.
void visit(Archive& archive, FragmentTracker& tracker);

/// Without what is only to find the oldest packet faster.
void visit(Archive& archive, ResultOrder& order);

/// Written in the order of the workers' new ranks.
void visit(Archive& archive, FloatFragments& task);

/// The places that hold a result.
void visit(Archive& archive, KeptResults& kept);

/// Without waiting entries that are gone, and without how often a time-out has doubled.
void visit(Archive& archive, ParameterServer& server);
/// Entries whose time-out runs, in a server that a saved state was read into.
std::size_t waiting_entries(ParameterServer& server);
/// Lets the time-out of one of them end before the others'.
void put_first(ParameterServer& server, std::size_t waiting);

/// Without instants: which timer fires next is chosen (let_fire). A worker between two steps has
/// nothing to send, so that nobody is awake and no answer waits.
void visit(Archive& archive, PeerWorker& worker);
/// Of a worker that a saved state was read into: one for each flow with frames in flight, one if
/// frames wait for their acknowledgement, and if there are several of these, first one for all.
std::size_t timers(PeerWorker& worker);
/// What this one waits for is due now, and nothing else.
void let_fire(PeerWorker& worker, std::size_t timer, Time now);

}  // namespace ina::exploration
