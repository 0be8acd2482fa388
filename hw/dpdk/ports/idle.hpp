// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ina::ports {

/// What a loop does that found nothing to do. Several polling processes on few processors starve
/// each other when they spin: it gives way a number of times, then sleeps a little.
class Idle {
 public:
  Idle();

  void found_work() { in_vain_ = 0; }
  void found_nothing();

 private:
  int in_vain_ = 0;
};

}  // namespace ina::ports
