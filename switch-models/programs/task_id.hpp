// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

/// Identifies an aggregation task, the sum of one fragment (PSN) of a job over all its workers. An
/// aggregator stores it in a pair of 32-bit registers.
struct TaskId {
  Psn psn = 0;
  JobId job = 0;
  bool valid = false;

  friend bool operator==(const TaskId&, const TaskId&) = default;
  BOOST_DESCRIBE_CLASS(TaskId, (), (psn, job, valid), (), ())
};

/// Calls `visit(index, task)` for each valid task in an array of tasks.
template <class Tasks, class Visit>
void for_each_held(const Tasks& tasks, Visit&& visit) {
  tasks.for_each([&](std::uint32_t index, const TaskId& task) {
    if (task.valid) visit(index, task);
  });
}

/// Clears the tasks of a job, and calls `freed(index, task)` for each. Returns the number cleared.
template <class Tasks, class Freed>
std::uint64_t clear_tasks_of(JobId job, Tasks& tasks, Freed&& freed) {
  std::uint64_t cleared = 0;
  for_each_held(tasks, [&](std::uint32_t index, TaskId task) {
    if (task.job != job) return;
    tasks.write(index, TaskId{});
    freed(index, task);
    ++cleared;
  });
  return cleared;
}

inline TaskId task_of(const Frame& frame) { return {frame.psn, frame.job, true}; }

}  // namespace ina::programs
