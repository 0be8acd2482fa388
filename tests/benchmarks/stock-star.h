/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef STOCK_STAR_H
#define STOCK_STAR_H

#include <cstdint>

namespace ns3
{

/// The experiment that RunStockStar simulates.
struct StockStarConfig
{
    uint32_t jobs{8};         ///< 1 to 1024
    uint32_t workers{8};      ///< workers per job, 1 to 1024
    uint32_t fragments{4000}; ///< fragments that each worker sends
    uint32_t window{256};     ///< fragments that a worker may have without a result, at least 1
    bool values{false};       ///< whether frames carry 62 int32, which the switch adds
};

/// Measurements of RunStockStar.
struct StockStarResult
{
    uint64_t packetHops{0}; ///< packets that crossed a link: 2 * jobs * workers * fragments
    double cpuSeconds{0};   ///< CPU time of Simulator::Run, without set-up and tear-down
    int64_t simulatedPs{0}; ///< picoseconds until the last worker has its last result
};

/**
 * The baseline of the benchmarks: in-network aggregation as one builds it from stock ns-3.
 *
 * Each worker is a host with a PointToPointNetDevice of its own, 100 Gbps and 2.5 us away from the
 * switch. Frames are ns3::Packet without an internet stack, 306 bytes with the PPP header. The
 * switch, in the receive callback of its devices, counts (with values: adds) what the workers of a
 * job send for the same packet sequence number and, once all have, sends each of them a copy of
 * the result. A result lets the worker send its next fragment. Nothing is lost: the devices' queues
 * hold a whole window.
 *
 * Every worker checks that it gets each result once, in order and, with values, that each sum is
 * exact. A failed check or a config out of range ends the program (NS_ABORT_MSG).
 *
 * The caller owns the simulator: no simulation may be under way. It is destroyed at the end. ns-3
 * must still be able to change its time resolution to picoseconds, or have done so.
 */
StockStarResult RunStockStar(const StockStarConfig& config);

} // namespace ns3

#endif // STOCK_STAR_H
