// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "hw/cluster/training/jct_breakdown.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/protocol/time.hpp"

namespace ina::cluster {

/// An iteration that one worker has ended.
struct WorkerIteration {
  Time start{};
  Time end{};
  JctBreakdown breakdown;
  /// The part of `breakdown` until the first result for which the worker waited. Until then, other
  /// workers may not have begun the iteration.
  JctBreakdown until_first_result = {};

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& iteration) {
    visitor.picoseconds("start_ps", iteration.start, fields::kAnyTime, "");
    visitor.picoseconds("end_ps", iteration.end, fields::kAnyTime, "");
    visit(visitor, "breakdown_ps", iteration.breakdown);
    visit(visitor, "until_first_result_ps", iteration.until_first_result);
  }

 private:
  template <class Visitor, class Breakdown>
  static void visit(Visitor& visitor, std::string_view key, Breakdown& breakdown) {
    visitor.object(
        key,
        [&](auto& inner) {
          for (const JctPart& part : kJctParts) {
            inner.picoseconds(part.name, breakdown.*part.of, fields::kAnyTime, "");
          }
        },
        "");
  }
};

}  // namespace ina::cluster
