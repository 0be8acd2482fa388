// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// The latest results of a server, kept for workers that lost them. The result of a PSN replaces
/// the result of PSN - `count`. If a job has several servers, `count` still counts the PSNs of all
/// servers, because a worker may lag by that many PSNs. Each server keeps only its own results.
class KeptResults {
 public:
  explicit KeptResults(std::uint32_t count) : results_(count) {}

  void keep(const Frame& result) { results_[result.psn % results_.size()] = result; }

  /// The result of `psn`, or nullptr if it is not kept.
  const Frame* find(Psn psn) const {
    const Frame& latest = results_[psn % results_.size()];
    const bool is_kept = latest.psn == psn && latest.kind == FrameKind::result;
    return is_kept ? &latest : nullptr;
  }

 private:
  BOOST_DESCRIBE_CLASS(KeptResults, (), (), (), (results_))

  std::vector<Frame> results_;
};

}  // namespace ina
