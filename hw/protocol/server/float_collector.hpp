// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/server/worker_set.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// The workers' fragments of one task as floats.
struct FloatFragments {
  WorkerSet workers;              ///< whose are here
  std::vector<Values> of_worker;  ///< by rank

  BOOST_DESCRIBE_CLASS(FloatFragments, (), (workers, of_worker), (), ())
};

/// Tasks whose integer sum overflowed: their fragments as floats (ATP 3.8), each one held until all
/// are here, for floats must be added in an order that does not depend on that of their coming.
class FloatCollector {
 public:
  /// Of a job's workers, by rank.
  explicit FloatCollector(std::size_t workers) : workers_(workers) {}

  void open(Psn psn);
  bool collects(Psn psn) const { return tasks_.contains(psn); }
  /// Whose fragments of an open task are here.
  const WorkerSet& workers(Psn psn) const { return tasks_.find(psn)->second.workers; }
  /// The fragment of the worker that has the rank and the path. Returns false if the task is not
  /// open, or has this worker's fragment.
  bool add(Psn psn, std::uint16_t rank, const wire::AggregationPath& path, Values&& fragment);
  /// The sum of all workers' fragments, in the order of ranks (numeric::sum_floats); all must be
  /// here. Closes the task.
  Values take_sum(Psn psn);
  void close(Psn psn);

 private:
  BOOST_DESCRIBE_CLASS(FloatCollector, (), (), (), (tasks_))

  std::size_t workers_;
  boost::unordered_flat_map<Psn, FloatFragments> tasks_;
  std::vector<std::vector<Values>> spare_;
};

}  // namespace ina
