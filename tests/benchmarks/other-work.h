/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <chrono>
#include <string>

/// Processor time of all programs other than this one and its ended children, since the
/// construction.
class OtherWork
{
  public:
    OtherWork();
    /// Average number of processors that other programs used.
    double Processors() const;
    /// The verdict, or "not quiet" if other programs may have changed the measurement.
    std::string Verdict(const std::string& verdict) const;
    /// One line with the load and whether it is low enough for a verdict.
    std::string Line() const;

  private:
    bool IsQuiet() const;

    std::chrono::steady_clock::time_point m_start;
    double m_seconds;
};
