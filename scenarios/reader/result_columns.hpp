// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace ina::scenarios {

/// The columns of the result tables (analysis/README.md), each table's behind those that name the
/// point. The columns of swept quantities have other names than all of these.
inline constexpr auto kPointColumns =
    std::to_array<const char*>({"point", "variant", "system", "seed"});

inline constexpr auto kJobColumns = std::to_array<const char*>({"job",
                                                                "profile",
                                                                "workers",
                                                                "values",
                                                                "iterations",
                                                                "start_us",
                                                                "jct_us",
                                                                "iteration_mean_us",
                                                                "iteration_min_us",
                                                                "iteration_max_us",
                                                                "end_us",
                                                                "packets_sent",
                                                                "packets_received",
                                                                "fallbacks",
                                                                "preemptions",
                                                                "retransmissions",
                                                                "tasks_type_1",
                                                                "tasks_type_2",
                                                                "tasks_type_3",
                                                                "losses_type_1",
                                                                "losses_type_2",
                                                                "losses_type_3",
                                                                "rejected_frames",
                                                                "registrations",
                                                                "status"});

inline constexpr auto kIterationColumns = std::to_array<const char*>(
    {"job", "iteration", "start_us", "iteration_us", "iteration_worker_mean_us", "compute_us",
     "serialisation_us", "queueing_us", "slot_wait_us", "straggler_us", "fallback_us",
     "recovery_us"});

inline constexpr auto kSwitchColumns =
    std::to_array<const char*>({"time_us", "switch", "job", "occupied_aggregators", "allocated",
                                "collided", "preempted", "evicted", "completed", "fallbacks"});

inline constexpr auto kLinkColumns = std::to_array<const char*>(
    {"link", "frames_sent", "bytes_sent", "frames_received", "bytes_received", "frames_dropped",
     "frames_marked", "frames_lost", "frames_corrupted", "frames_duplicated", "frames_delayed"});

}  // namespace ina::scenarios
