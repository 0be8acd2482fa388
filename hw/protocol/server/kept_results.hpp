// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// The latest results of a server, for workers that lost theirs. A result makes room for the one
/// whose PSN is greater by `count`: of a server that has a share of a job's PSNs, those of its own
/// among the last `count` of the job, for it is by these that a worker may lag.
class KeptResults {
 public:
  explicit KeptResults(std::uint32_t count) : results_(count) {}

  void keep(const Frame& result) { results_[result.psn % results_.size()] = result; }

  /// nullptr: not kept, or not any more.
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
