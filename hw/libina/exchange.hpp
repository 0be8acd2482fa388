// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
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

/// An array that is summed over the workers, in fragments of consecutive PSNs.
class Exchange : public GradientSource {
 public:
  explicit Exchange(std::size_t count) : count_(count) {}

  std::size_t count() const { return count_; }
  std::uint64_t fragments(std::size_t fragment_values) const {
    return (count_ + fragment_values - 1) / fragment_values;
  }
  /// Where its fragments, of `fragment_values`, begin.
  void place(Psn first_psn, std::size_t fragment_values);
  /// Whether its values are known.
  virtual bool ready() const { return true; }
  void take(const Frame& result);
  /// The sums of a fragment did not fit, so that they came as floats (ATP 3.8).
  virtual void overflowed() {}
  /// All fragments were taken.
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

/// Called when an exchange is over.
using Done = std::function<void(ina_status)>;

class Int32Exchange final : public Exchange {
 public:
  /// `out` is for in.size() sums, and may be `in`; `copies` outlives this.
  Int32Exchange(std::span<const std::int32_t> in, std::int32_t* out, Done done, Copies copies)
      : Exchange(in.size()), values_(in, copies), out_(out), done_(std::move(done)) {}

  void overflowed() override { overflowed_ = true; }
  void finish() override { done_(overflowed_ ? INA_OVERFLOW : INA_OK); }

 private:
  void encode(std::size_t first, std::span<std::int32_t> out) const override;
  void decode(std::size_t first, std::span<const std::int32_t> sums) override;

  Values<std::int32_t> values_;
  std::int32_t* out_;
  Done done_;
  bool overflowed_ = false;
};

/// The workers agree on the largest exponent of their values. The network can only add: each worker
/// adds 1 in the place of its own exponent, and the highest place that is not 0 counts.
class ExponentExchange final : public Exchange {
 public:
  explicit ExponentExchange(std::span<const float> values);

  void finish() override { over_ = true; }

  bool over() const { return over_; }
  /// Of all workers' values; nothing if one of them is NaN or infinite.
  std::optional<numeric::ChunkExponent> agreed() const;

 private:
  void encode(std::size_t first, std::span<std::int32_t> out) const override;
  void decode(std::size_t first, std::span<const std::int32_t> sums) override;

  std::optional<std::size_t> own_place_;  // none: all values are 0
  std::size_t highest_place_;
  bool any_not_finite_ = false;
  bool over_ = false;
};

class Float32Exchange final : public Exchange {
 public:
  /// As Int32Exchange.
  Float32Exchange(std::span<const float> in, float* out, std::uint32_t workers,
                  std::shared_ptr<const ExponentExchange> exponent, Done done, Copies copies)
      : Exchange(in.size()),
        values_(in, copies),
        out_(out),
        workers_(workers),
        exponent_(std::move(exponent)),
        done_(std::move(done)) {}

  bool ready() const override { return exponent_->over(); }
  void finish() override { done_(exponent_->agreed() ? INA_OK : INA_NOT_FINITE); }

 private:
  void encode(std::size_t first, std::span<std::int32_t> out) const override;
  void decode(std::size_t first, std::span<const std::int32_t> sums) override;

  Values<float> values_;
  float* out_;
  std::uint32_t workers_;
  std::shared_ptr<const ExponentExchange> exponent_;
  Done done_;
};

}  // namespace ina::library
