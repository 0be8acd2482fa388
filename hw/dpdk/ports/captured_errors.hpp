// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ina::ports {

/// What is written to standard error while this lives: DPDK has no other way of saying why.
class CapturedErrors {
 public:
  CapturedErrors();
  ~CapturedErrors();
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;

  /// Ends it: all of that, on one line.
  std::string text();

 private:
  void restore();

  int file_;
  int standard_error_;
};

}  // namespace ina::ports
