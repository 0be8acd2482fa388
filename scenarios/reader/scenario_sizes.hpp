// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/wire/limits.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

wire::Protocol protocol_of(const Scenario& scenario);

/// Values in a gradient packet.
std::uint32_t values_per_packet(const Scenario& scenario);

/// SwitchML's slots of a job if exponents of block floating point go ahead of its values, else 0.
std::uint32_t exponent_slots(const Scenario& scenario);

/// The packets of a worker in an iteration: each partition starts a new one, and has those of its
/// exponents in front.
std::uint64_t fragments_of(const Scenario& scenario, const ModelProfile& profile);

/// Bytes of a gradient packet.
std::uint64_t frame_bytes(const Scenario& scenario);

/// Bytes of switch memory that hold the values of one aggregator; for SwitchML of one slot, with
/// its shadow copy.
std::uint64_t aggregator_bytes(const Scenario& scenario);

/// The rack of a host: the racks take them in order, each as many as the others, or one more.
std::uint16_t rack_of_host(const TopologyScenario& topology, std::uint32_t host);

/// ATP's and DSA's aggregators, of a switch.
std::uint32_t aggregators(const Scenario& scenario);

/// The entries of a worker's table of ATP's or DSA's aggregators: those that the scenario states,
/// else twice as many as packets may be in flight (max_window_packets(), what the network holds if
/// that has no limit, or the initial window if it does not change): a lost fragment takes another
/// round trip, and must not hold up those behind it.
std::uint32_t table_entries(const Scenario& scenario);

/// SwitchML's slots of a job: those that the scenario states, else an even share of the memory.
std::uint32_t slots_per_job(const Scenario& scenario);

/// Packets that a worker may have in flight at first: SwitchML's as many as slots, or, with ATP's
/// congestion control, as ATP's by default, if there are so many slots.
std::uint32_t initial_window(const Scenario& scenario);

/// Packets that a worker of ATP or DSA may have in flight, 0 for no limit: as the scenario states,
/// else what the network holds, which is what a line sends until the first result is back, and a
/// queue: ATP's up to the ECN threshold, DSA's before the line. At least the initial window.
std::uint32_t max_window_packets(const Scenario& scenario);

}  // namespace ina::scenarios
