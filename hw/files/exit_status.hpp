// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ina::exit_status {

/// Exit statuses of the programs, as in docs/reference/exit-statuses.md and
/// hw/commands/statuses.py.
inline constexpr int kWrongInput = 2;
/// A wrong sum, or a run that was not complete at its time limit.
inline constexpr int kFailedRun = 3;
/// An environment error: disk full, out of memory, a killed process.
inline constexpr int kEnvironmentError = 4;

}  // namespace ina::exit_status
