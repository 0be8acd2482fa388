// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace ina::cluster {

/// Thrown if a run violates an invariant: a wrong sum, a duplicate result, a leaked aggregator, an
/// imbalance of frames, a job that does not end. The message names the job, the worker, the PSN and
/// the difference, as far as they apply.
class VerificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown if jobs are not complete at the scenario's time limit: either there is an error, or the
/// limit is too short. The message begins with the key of the limit.
class TimeLimitReached : public VerificationError {
 public:
  using VerificationError::VerificationError;
};

}  // namespace ina::cluster
