// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace ina::cluster {

/// A run did what no correct run does: a wrong sum, a result twice, a leaked aggregator, frames out
/// of balance, a job that does not end. The message says job, worker, PSN and what differs.
class VerificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Jobs were not done at the time limit of the scenario: something may be wrong, or the limit is
/// too short. The message begins with the key of the limit.
class TimeLimitReached : public VerificationError {
 public:
  using VerificationError::VerificationError;
};

}  // namespace ina::cluster
