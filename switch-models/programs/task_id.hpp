// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>

#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

/// The identity of an aggregation task, <job, PSN>, as an aggregator stores it (a pair of 32-bit
/// registers).
struct TaskId {
  Psn psn = 0;
  JobId job = 0;
  bool valid = false;

  friend bool operator==(const TaskId&, const TaskId&) = default;
  BOOST_DESCRIBE_CLASS(TaskId, (), (psn, job, valid), (), ())
};

inline TaskId task_of(const Frame& frame) { return {frame.psn, frame.job, true}; }

}  // namespace ina::programs
