// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

namespace ina::cluster {

/// Keeps those of the offered candidates that have the lowest cost, in the order of the offers.
template <class Candidate, class Cost>
class Cheapest {
 public:
  void offer(const Candidate& candidate, const Cost& cost) {
    if (least_ && cost > *least_) return;
    if (least_ != cost) candidates_.clear();
    least_ = cost;
    candidates_.push_back(candidate);
  }
  /// Empty if no candidate was offered.
  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  std::optional<Cost> least_;
  std::vector<Candidate> candidates_;
};

}  // namespace ina::cluster
