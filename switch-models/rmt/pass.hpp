// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "switch-models/rmt/carry.hpp"
#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/placement.hpp"

namespace ina::rmt {

/// Modes for which a data-plane program is compiled. Fast uses plain array accesses, and runs all
/// passes of a packet at once. Checked verifies for every packet that the program accesses its
/// registers as the chip allows. Separate runs one pass at a time, so that other packets may come
/// between two passes of a packet. CheckedSeparate does both.
struct Fast {};
struct Checked {};
struct Separate {};
struct CheckedSeparate {};

template <class Mode>
inline constexpr bool kIsChecked =
    std::is_same_v<Mode, Checked> || std::is_same_v<Mode, CheckedSeparate>;
template <class Mode>
inline constexpr bool kIsSeparate =
    std::is_same_v<Mode, Separate> || std::is_same_v<Mode, CheckedSeparate>;

/// Thrown if a program does something that a pipeline cannot do.
class PipelineViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Fields that a packet carries into a pass, and out of it. Passes that run at once carry nothing.
template <class Mode>
struct PassCarry {};
template <class Mode>
requires kIsSeparate<Mode>
struct PassCarry<Mode> {
  Carry carry;
};

/// One pass of a packet through the pipeline. It may access every register array once, only in the
/// order of the arrays' stages, and only together with arrays of the same declared pass.
template <class Mode>
class Pass : public PassCarry<Mode> {
 public:
  void touch(StageSpan, const char*) {}
};

template <class Mode>
requires kIsChecked<Mode>
class Pass<Mode> : public PassCarry<Mode> {
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
  std::uint64_t passes_ = ~std::uint64_t{0};  // declared passes that access every array that this
                                              // pass has accessed
  unsigned reached_ = 0;                      // stage of the last array accessed
};

/// The stages of a program's arrays. This is empty in the Fast mode, which places no arrays.
template <class Mode>
class Stages {
 public:
  template <class Declare>
  explicit Stages(const Declare&) {}
  StageSpan of(const char*) const { return {}; }
};

/// Places the program on Tofino 1, the smallest chip. Throws DoesNotFit if it does not fit.
template <class Mode>
requires kIsChecked<Mode>
class Stages<Mode> {
 public:
  template <class Declare>
  explicit Stages(const Declare& declare) : placement_(declare(), kTofino1) {}
  StageSpan of(const char* array) const { return placement_.span(array); }

 private:
  Placement placement_;
};

}  // namespace ina::rmt
