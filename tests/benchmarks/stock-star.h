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
 * Baseline of the benchmarks: in-network aggregation built from stock ns-3.
 *
 * Each worker is a host with a PointToPointNetDevice of its own, 100 Gbps and 2.5 us away from the
 * switch. Frames are ns3::Packet without an internet stack, 306 bytes with the PPP header. In the
 * receive callback of its devices, the switch counts (with values: adds) the packets of a job's
 * workers with the same packet sequence number. When it has all, it sends a copy of the result to
 * each worker. A result lets the worker send its next fragment. Nothing is lost: the devices'
 * queues hold a whole window.
 *
 * Every worker checks that it gets each result once, in order and, with values, that each sum is
 * exact. A failed check or a config out of range ends the program (NS_ABORT_MSG).
 *
 * Call it only if no simulation is under way: it destroys the simulator at the end. The time
 * resolution of ns-3 must be picoseconds, or must not be fixed yet.
 */
StockStarResult RunStockStar(const StockStarConfig& config);

} // namespace ns3

#endif // STOCK_STAR_H
