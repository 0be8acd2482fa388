// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

namespace ina::cluster {

/// The candidates of the least cost among all that are offered, in the order of their offers.
template <class Candidate, class Cost>
class Cheapest {
 public:
  void offer(const Candidate& candidate, const Cost& cost) {
    if (least_ && cost > *least_) return;
    if (least_ != cost) candidates_.clear();
    least_ = cost;
    candidates_.push_back(candidate);
  }
  /// Empty if none was offered.
  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  std::optional<Cost> least_;
  std::vector<Candidate> candidates_;
};

}  // namespace ina::cluster
