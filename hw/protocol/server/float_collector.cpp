// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/float_collector.hpp"

#include <utility>

#include "hw/protocol/numeric/float_sum.hpp"

namespace ina {

void FloatCollector::open(Psn psn) {
  FloatFragments& task = tasks_[psn];
  if (!spare_.empty()) {
    task.of_worker = std::move(spare_.back());
    spare_.pop_back();
  }
  task.of_worker.resize(workers_);
}

bool FloatCollector::add(Psn psn, std::uint16_t rank, const wire::AggregationPath& path,
                         Values&& fragment) {
  const auto found = tasks_.find(psn);
  if (found == tasks_.end()) return false;
  FloatFragments& task = found->second;
  if (task.workers.contains(path)) return false;
  task.workers.add(wire::branch_of(path), wire::place_bit(path));
  task.of_worker[rank] = std::move(fragment);
  return true;
}

Values FloatCollector::take_sum(Psn psn) {
  std::vector<Values>& fragments = tasks_.find(psn)->second.of_worker;
  Values sum = std::move(fragments.front()).into_unique();
  std::vector<const std::int32_t*> parts(workers_);
  parts.front() = sum.data();
  for (std::size_t rank = 1; rank < workers_; ++rank) parts[rank] = fragments[rank].data();
  numeric::sum_floats(parts, sum.data(), sum.size());
  close(psn);
  return sum;
}

void FloatCollector::close(Psn psn) {
  const auto found = tasks_.find(psn);
  if (found == tasks_.end()) return;
  std::vector<Values> fragments = std::move(found->second.of_worker);
  tasks_.erase(found);
  fragments.clear();
  spare_.push_back(std::move(fragments));
}

}  // namespace ina
