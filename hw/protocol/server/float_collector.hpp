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
  WorkerSet workers;              ///< workers whose fragments have arrived
  std::vector<Values> of_worker;  ///< by rank

  BOOST_DESCRIBE_CLASS(FloatFragments, (), (workers, of_worker), (), ())
};

/// Collects float fragments for tasks whose integer sum overflowed (ATP 3.8). It adds them only
/// when all have arrived, so that the order of additions does not depend on the order of arrival.
class FloatCollector {
 public:
  /// `workers`: number of the job's workers.
  explicit FloatCollector(std::size_t workers) : workers_(workers) {}

  void open(Psn psn);
  bool collects(Psn psn) const { return tasks_.contains(psn); }
  /// The workers whose fragments of an open task have arrived.
  const WorkerSet& workers(Psn psn) const { return tasks_.find(psn)->second.workers; }
  /// Stores the fragment of the worker with this rank and path. Returns false if the task is not
  /// open, or already has this worker's fragment.
  bool add(Psn psn, std::uint16_t rank, const wire::AggregationPath& path, Values&& fragment);
  /// Returns the sum of all workers' fragments, added in the order of ranks (numeric::sum_floats),
  /// and closes the task. All fragments must have arrived.
  Values take_sum(Psn psn);
  void close(Psn psn);

 private:
  BOOST_DESCRIBE_CLASS(FloatCollector, (), (), (), (tasks_))

  std::size_t workers_;
  boost::unordered_flat_map<Psn, FloatFragments> tasks_;
  std::vector<std::vector<Values>> spare_;
};

}  // namespace ina
