// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/placement.hpp"

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

/// One way of a packet through the pipeline. Every register array can be touched once in it, only
/// in the order of the stages in which the arrays stand, and only with others that a declared pass
/// touches too.
template <class Mode>
class Pass {
 public:
  void touch(StageSpan, const char*) {}
};

template <>
class Pass<Checked> {
 public:
  void touch(StageSpan stages, const char* name) {
    auto* const end = touched_.begin() + count_;
    if (std::find(touched_.begin(), end, name) != end) {
      throw PipelineViolation(std::string("register array ") + name +
                              " is touched twice in a pass");
    }
    if (stages.first < reached_) {
      throw PipelineViolation(std::string("register array ") + name +
                              " is touched after an array of a later stage");
    }
    passes_ &= stages.passes;
    if (passes_ == 0) {
      throw PipelineViolation(std::string("register array ") + name +
                              " is touched, which no declared pass does after the ones before");
    }
    touched_.at(count_++) = name;
    reached_ = stages.first;
  }

 private:
  std::array<const char*, 16> touched_{};
  std::size_t count_ = 0;
  std::uint64_t passes_ = ~std::uint64_t{0};  // declared ones that touch all that this one did
  unsigned reached_ = 0;  // the stage where the array stands that was touched last
};

/// Where the arrays of a program stand. Fast programs need not know, and are not placed.
template <class Mode>
class Stages {
 public:
  template <class Declare>
  explicit Stages(const Declare&) {}
  StageSpan of(const char*) const { return {}; }
};

/// Throws DoesNotFit if the program does not fit Tofino 1, the smaller chip.
template <>
class Stages<Checked> {
 public:
  template <class Declare>
  explicit Stages(const Declare& declare) : placement_(declare(), kTofino1) {}
  StageSpan of(const char* array) const { return placement_.span(array); }

 private:
  Placement placement_;
};

}  // namespace ina::rmt
