// SPDX-License-Identifier: BSD-3-Clause
// Parts of the hosts' state in which some bits do not matter.
#pragma once

#include "hw/protocol/server/float_collector.hpp"
#include "hw/protocol/server/kept_results.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/fragment_tracker.hpp"
#include "hw/protocol/transport/peer_worker.hpp"
#include "hw/protocol/transport/result_order.hpp"
#include "tests/exploration/archive.hpp"
#include "tests/exploration/passing.hpp"

namespace ina::exploration {

void visit(Archive& archive, Frame& frame);
void visit(Archive& archive, Passing& passing);

/// Omits what the tracker forgot: fragments outside the ring, transmissions no longer in flight.
void visit(Archive& archive, FragmentTracker& tracker);

/// Omits the index that only speeds up the search for the oldest packet.
void visit(Archive& archive, ResultOrder& order);

/// Writes the fragments in the order of the workers' new ranks.
void visit(Archive& archive, FloatFragments& task);

/// Writes only positions that hold a result.
void visit(Archive& archive, KeptResults& kept);

/// Omits waiting entries that are gone, and how often a time-out has doubled.
void visit(Archive& archive, ParameterServer& server);
/// Number of entries with a running time-out. The server's state must have been read back.
std::size_t waiting_entries(ParameterServer& server);
/// Makes this entry's timer the first one to expire.
void put_first(ParameterServer& server, std::size_t waiting);

/// Omits instants, because let_fire() chooses the next timer. Between two steps a worker has
/// nothing to send, so no peer is awake and no answer is pending.
void visit(Archive& archive, PeerWorker& worker);
/// Number of timers of a worker whose state was read back: one for each flow with frames in flight
/// and one for frames that wait for their acknowledgement. If there are several, timer 0 is all of
/// them together.
std::size_t timers(PeerWorker& worker);
/// Makes only this timer due now.
void let_fire(PeerWorker& worker, std::size_t timer, Time now);

}  // namespace ina::exploration
