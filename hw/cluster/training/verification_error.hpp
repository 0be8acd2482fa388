// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace ina::cluster {

/// A violated invariant of a run: a wrong sum, a duplicate result, a leaked aggregator, an
/// imbalance of frames, a job that does not end. The message names job, worker, PSN and the
/// difference.
class VerificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Jobs were not complete at the scenario's time limit: there may be an error, or the limit is too
/// short. The message begins with the key of the limit.
class TimeLimitReached : public VerificationError {
 public:
  using VerificationError::VerificationError;
};

}  // namespace ina::cluster
