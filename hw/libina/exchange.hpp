// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/libina/ina.h"
#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::library {

/// Where copies of arrays are made; nullptr: an array is read where it is while it is under way.
using Copies = std::pmr::memory_resource*;

/// Under ATP and DSA others may need a worker's fragments when its caller has the sums already, and
/// maybe has them in the array's place. SwitchML's switch answers who lacks a result from its
/// shadow copy: a worker never sends again what it has the sum of.
inline Copies copies_of(wire::Protocol protocol, std::pmr::memory_resource& memory) {
  return protocol == wire::Protocol::switchml ? nullptr : &memory;
}

/// The array of a caller, or the copy.
template <class Value>
class Values {
 public:
  Values(std::span<const Value> in, Copies copies)
      : copy_(copies ? std::pmr::vector<Value>(in.begin(), in.end(), copies)
                     : std::pmr::vector<Value>()),
        in_(copies ? std::span<const Value>(copy_) : in) {}
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  std::span<const Value> all() const { return in_; }
  std::span<const Value> part(std::size_t first, std::size_t count) const {
    return in_.subspan(first, count);
  }

 private:
  std::pmr::vector<Value> copy_;
  std::span<const Value> in_;
};

inline std::uint64_t fragments_of(std::size_t count, std::size_t fragment_values) {
  return (count + fragment_values - 1) / fragment_values;
}

/// An array that is summed over the workers, in fragments of consecutive PSNs.
class Exchange : public GradientSource {
 public:
  explicit Exchange(std::size_t count) : count_(count) {}

  std::size_t count() const { return count_; }
  std::uint64_t fragments(std::size_t fragment_values) const {
    return fragments_of(count_, fragment_values);
  }
  /// Where its fragments, of `fragment_values`, begin.
  void place(Psn first_psn, std::size_t fragment_values);
  void take(const Frame& result);
  /// The sums of a fragment did not fit, so that they came as floats (ATP 3.8).
  virtual void overflowed() {}
  /// All fragments were taken, and those of all exchanges before this one.
  virtual void finish() {}

  void read(Psn psn, std::span<std::int32_t> out) const final;

 private:
  /// Writes this worker's values from number `first` on.
  virtual void encode(std::size_t first, std::span<std::int32_t> out) const = 0;
  virtual void decode(std::size_t first, std::span<const std::int32_t> sums) = 0;

  std::size_t offset_of(Psn psn) const { return (psn - first_psn_) * fragment_values_; }

  std::size_t count_;
  Psn first_psn_ = 0;
  std::size_t fragment_values_ = 1;
};

/// How an all-reduce ended, and why if not well.
struct Outcome {
  ina_status status = INA_OK;
  std::string why;
};
using Done = std::function<void(const Outcome&)>;

/// The exponent of an array's largest magnitude; nothing if it has a NaN or an infinity.
using LargestExponent = std::optional<numeric::ChunkExponent>;

class Agreement;

class Int32Exchange final : public Exchange {
 public:
  /// `out` is for in.size() sums, and may be `in`; `copies` outlives this.
  Int32Exchange(std::span<const std::int32_t> in, std::int32_t* out, Done done, Copies copies)
      : Exchange(in.size()), values_(in, copies), out_(out), done_(std::move(done)) {}

  void overflowed() override { overflowed_ = true; }
  void finish() override;

 private:
  void encode(std::size_t first, std::span<std::int32_t> out) const override;
  void decode(std::size_t first, std::span<const std::int32_t> sums) override;

  Values<std::int32_t> values_;
  std::int32_t* out_;
  Done done_;
  bool overflowed_ = false;
};

/// Floats are summed as integers of the scale that suits the largest exponent of all workers, which
/// the agreement before them has told.
class Float32Exchange final : public Exchange {
 public:
  /// As Int32Exchange.
  Float32Exchange(std::span<const float> in, float* out, std::uint32_t workers,
                  std::shared_ptr<const Agreement> agreement, Done done, Copies copies)
      : Exchange(in.size()),
        values_(in, copies),
        out_(out),
        workers_(workers),
        agreement_(std::move(agreement)),
        done_(std::move(done)) {}

  void finish() override { done_({}); }

 private:
  void encode(std::size_t first, std::span<std::int32_t> out) const override;
  void decode(std::size_t first, std::span<const std::int32_t> sums) override;

  Values<float> values_;
  float* out_;
  std::uint32_t workers_;
  std::shared_ptr<const Agreement> agreement_;
  Done done_;
};

}  // namespace ina::library
