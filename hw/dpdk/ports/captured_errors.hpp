// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ina::ports {

/// Captures standard error during its lifetime, because DPDK reports the reasons of failures only
/// there.
class CapturedErrors {
 public:
  CapturedErrors();
  ~CapturedErrors();
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;

  /// Ends the capture and returns the captured text on one line.
  std::string text();

 private:
  void restore();

  int file_;
  int standard_error_;
};

}  // namespace ina::ports
