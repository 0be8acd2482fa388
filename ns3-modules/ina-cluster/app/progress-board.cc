/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "progress-board.h"

#include "hw/files/standard_output.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ns3
{

namespace
{

constexpr double PS_PER_MS = 1e9;

/// Current number of columns of the terminal at stderr; 0 if unknown.
std::size_t
TerminalWidth()
{
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

} // namespace

ProgressBoard::ProgressBoard(const std::string& name,
                             std::size_t slots,
                             std::size_t points,
                             std::optional<std::chrono::milliseconds> interval) :
    m_name(name),
    m_slotCount(slots),
    m_points(points),
    m_slots(slots),
    m_terminal(isatty(STDERR_FILENO) == 1),
    m_interval(interval.value_or(m_terminal ? ON_TERMINAL : ELSEWHERE)),
    m_start(Clock::now()),
    m_drawn(m_start)
{
}

void
ProgressBoard::Report(std::size_t slot, const InaRunProgress& progress)
{
    m_slots[slot].fragmentsDone = progress.fragmentsDone;
    m_slots[slot].fragmentsInAll = progress.fragmentsInAll;
    m_slots[slot].packetHops = progress.packetHops;
    m_slots[slot].simulatedPs = progress.simulatedTime.GetPicoSeconds();
}

void
ProgressBoard::PointStarted(std::size_t slot)
{
    Report(slot, {0, 0, 0, Time(0)});
}

void
ProgressBoard::PointEnded(std::size_t slot)
{
    ++m_pointsEnded;
    m_hopsEnded += m_slots[slot].packetHops;
    Report(slot, {0, 0, 0, Time(0)});
}

void
ProgressBoard::Draw()
{
    const auto now = Clock::now();
    if (now - m_drawn < m_interval)
    {
        return;
    }
    m_drawn = now;
    std::string line = Line(std::chrono::duration<double>(now - m_start).count());
    if (!m_terminal)
    {
        ina::files::report(fmt::format("ina: {}: {}\n", m_name, line));
        return;
    }
    // Leaves the last column free, because some terminals wrap as soon as this column is written.
    if (const std::size_t width = TerminalWidth(); width != 0)
    {
        line.resize(std::min(line.size(), width - 1));
    }
    ina::files::report(fmt::format("\r\033[K{}", line));
}

std::string
ProgressBoard::Line(double seconds) const
{
    auto done = static_cast<double>(m_pointsEnded);
    uint64_t hops = m_hopsEnded;
    int64_t simulatedPs = 0;
    for (std::size_t slot = 0; slot < m_slotCount; ++slot)
    {
        const uint64_t inAll = m_slots[slot].fragmentsInAll;
        done += inAll == 0
                    ? 0
                    : static_cast<double>(m_slots[slot].fragmentsDone) / static_cast<double>(inAll);
        hops += m_slots[slot].packetHops;
        simulatedPs = std::max<int64_t>(simulatedPs, m_slots[slot].simulatedPs);
    }
    const double share = done / static_cast<double>(m_points);
    const std::string left =
        share > 0 ? fmt::format("  {:.0f} s left", seconds / share - seconds) : "";
    return fmt::format("{:5.1f} %  {}/{} runs  at {:.3f} ms  {:.1f} M packet-hops/s{}",
                       100 * share,
                       m_pointsEnded,
                       m_points,
                       static_cast<double>(simulatedPs) / PS_PER_MS,
                       static_cast<double>(hops) / std::max(seconds, 1e-9) / 1e6,
                       left);
}

void
ProgressBoard::Clear()
{
    if (m_terminal)
    {
        ina::files::report("\r\033[K");
    }
}

} // namespace ns3
