/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_PROGRESS_BOARD_H
#define INA_PROGRESS_BOARD_H

#include "ns3/cluster-run.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup ina-cluster
 * How far the running points are, in memory that the processes share, and a line on stderr that
 * says so (share done, simulated time, packet-hops per second, time left). Silent if stderr is no
 * terminal.
 */
class ProgressBoard
{
  public:
    ProgressBoard(std::size_t slots, std::size_t points);
    ~ProgressBoard();
    ProgressBoard(const ProgressBoard&) = delete;
    ProgressBoard& operator=(const ProgressBoard&) = delete;

    /** Called by the process that runs a point. */
    void Report(std::size_t slot, const RunProgress& progress);

    void PointStarted(std::size_t slot);
    void PointEnded(std::size_t slot);
    /** Draws the line anew, a few times a second at most. */
    void Draw();
    void Clear();

  private:
    struct Slot
    {
        std::atomic<uint64_t> fragmentsDone;
        std::atomic<uint64_t> fragmentsInAll;
        std::atomic<uint64_t> packetHops;
        std::atomic<int64_t> simulatedPs;
    };

    using Clock = std::chrono::steady_clock;

    std::size_t m_slotCount;
    std::size_t m_points;
    std::size_t m_pointsEnded{0};
    uint64_t m_hopsEnded{0};
    Slot* m_slots; //!< shared
    bool m_terminal;
    Clock::time_point m_start;
    Clock::time_point m_drawn;
};

} // namespace ns3

#endif // INA_PROGRESS_BOARD_H
