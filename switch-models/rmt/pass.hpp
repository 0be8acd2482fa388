// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace ina::rmt {

/// A data-plane program is written once and compiled for one of two modes: Fast leaves plain array
/// accesses, Checked verifies on every packet what the chip demands of state.
struct Fast {};
struct Checked {};

/// What a program did that a pipeline cannot do.
class PipelineViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// One way of a packet through the pipeline. Every register array can be touched once in it, and
/// only in the order of the stages, which is the order in which a program declares its arrays.
template <class Mode>
class Pass {
 public:
  void touch(std::size_t, const char*) {}
};

template <>
class Pass<Checked> {
 public:
  void touch(std::size_t stage, const char* name) {
    if (stage < next_stage_) {
      throw PipelineViolation(std::string("register array ") + name +
                              " is touched twice in a pass, or after an array of a later stage");
    }
    next_stage_ = stage + 1;
  }

 private:
  std::size_t next_stage_ = 0;
};

}  // namespace ina::rmt
