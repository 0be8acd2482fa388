/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PROGRESS_BOARD_H
#define INA_PROGRESS_BOARD_H

#include "shared-array.h"

#include "ns3/ina-cluster-run.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * \ingroup ina-cluster
 * Progress of a sweep's points (its runs), in memory that their processes share. Draw() reports on
 * stderr: share done, simulated time, packet-hops per second and time left. On a terminal, it
 * redraws one line in place and cuts it to the width. Elsewhere, each report is a new line.
 */
class ProgressBoard
{
  public:
    /** Default intervals between reports, on a terminal and elsewhere. */
    static constexpr std::chrono::milliseconds ON_TERMINAL{200};
    static constexpr std::chrono::milliseconds ELSEWHERE{60'000};

    /**
     * \param name name of the experiment
     * \param slots maximum number of points that run at a time; each has a slot below this number
     * \param points number of points to run
     * \param interval interval between reports; replaces the defaults
     */
    ProgressBoard(const std::string& name,
                  std::size_t slots,
                  std::size_t points,
                  std::optional<std::chrono::milliseconds> interval);

    /** Called regularly by the process that runs the point in this slot. */
    void Report(std::size_t slot, const InaRunProgress& progress);

    void PointStarted(std::size_t slot);
    void PointEnded(std::size_t slot);
    /** Reports the progress if the interval since the last report has passed. */
    void Draw();
    /** Clears the line on the terminal. */
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

    std::string Line(double seconds) const;

    std::string m_name;
    std::size_t m_slotCount;
    std::size_t m_points;
    std::size_t m_pointsEnded{0};
    uint64_t m_hopsEnded{0};
    SharedArray<Slot> m_slots;
    bool m_terminal;
    std::chrono::milliseconds m_interval;
    Clock::time_point m_start;
    Clock::time_point m_drawn;
};

} // namespace ns3

#endif // INA_PROGRESS_BOARD_H
