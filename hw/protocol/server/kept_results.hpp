// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// The latest results of a server, for workers that lost theirs. A result replaces the one whose
/// PSN is lower by `count`. A server with a share of a job's PSNs keeps its own among the job's
/// last `count`, because workers may lag by that many.
class KeptResults {
 public:
  explicit KeptResults(std::uint32_t count) : results_(count) {}

  void keep(const Frame& result) { results_[result.psn % results_.size()] = result; }

  /// nullptr if the result is not kept, or no longer.
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
