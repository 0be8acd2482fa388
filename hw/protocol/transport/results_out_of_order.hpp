// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>

namespace ina {

/// ATP 3.7: three results out of order indicate that the oldest packet was lost.
class ResultsOutOfOrder {
 public:
  /// Call this when a result arrives. `expected`: whether the result is for the oldest packet in
  /// flight. Returns whether the oldest packet was lost.
  bool tell_of_a_loss(bool expected) {
    count_ = expected ? 0 : count_ + 1;
    if (count_ < kOfALoss) return false;
    count_ = 0;
    return true;
  }

 private:
  static constexpr int kOfALoss = 3;

  BOOST_DESCRIBE_CLASS(ResultsOutOfOrder, (), (), (), (count_))

  int count_ = 0;
};

}  // namespace ina
