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

#include "hw/cluster/spec/spec.hpp"
#include "hw/libina/ina.h"
#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::library {

/// Where copies of arrays are made; nullptr: an array is read where it is while it is under way.
using Copies = std::pmr::memory_resource*;

/// Where there are servers, others may need a worker's fragments when its caller has the sums
/// already, and maybe has them in the array's place. Where there are none, the switch answers who
/// lacks a result from its shadow copy: a worker never sends again what it has the sum of.
inline Copies copies_of(const cluster::SystemTraits& system, std::pmr::memory_resource& memory) {
  return system.has_servers ? &memory : nullptr;
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

/// What of floats has a scale in common: an array, whose largest exponent an agreement tells; or
/// each fragment, whose largest exponent the packets before it tell (SwitchML,
/// Tensor::exponent_lead).
enum class FloatBlocks : std::uint8_t { arrays, fragments };

/// Under SwitchML the cluster file says which.
inline FloatBlocks blocks_of(const cluster::Spec& cluster) {
  return cluster.in_blocks() ? FloatBlocks::fragments : FloatBlocks::arrays;
}

/// An array that is summed over the workers, in fragments of consecutive PSNs.
class Exchange : public GradientSource {
 public:
  explicit Exchange(std::size_t count) : count_(count) {}

  std::size_t count() const { return count_; }
  std::uint64_t fragments(std::size_t fragment_values) const {
    return fragments_of(count_, fragment_values);
  }
  /// Whether exponents go ahead of its values.
  virtual bool has_exponents() const { return false; }
  /// Where its fragments, of `fragment_values`, begin; the first `exponent_lead` of them carry
  /// exponents alone.
  void assign_psns(Psn first_psn, std::size_t fragment_values, std::uint32_t exponent_lead);
  void take(const Frame& result);
  /// The sums of a fragment did not fit, so that they came as floats (ATP 3.8).
  virtual void overflowed() {}
  /// All fragments were taken, and those of all exchanges before this one.
  virtual void finish() {}

  void read(Psn psn, std::span<std::int32_t> out) const final { read_block(psn, 0, out); }
  void read_block(Psn psn, numeric::ExponentCode largest, std::span<std::int32_t> out) const final;
  numeric::ExponentCode exponent(Psn psn) const final;

 private:
  /// Writes this worker's values from number `first` on, by the exponent that the packets told.
  virtual void encode(std::size_t first, numeric::ExponentCode largest,
                      std::span<std::int32_t> out) const = 0;
  virtual void decode(std::size_t first, numeric::ExponentCode largest,
                      std::span<const std::int32_t> sums) = 0;
  /// Of `count` of this worker's values from number `first` on.
  virtual numeric::ExponentCode exponent_of(std::size_t, std::size_t) const { return 0; }

  std::size_t offset_of(Psn psn) const { return (psn - first_psn_) * fragment_values_; }

  std::size_t count_;
  Psn first_psn_ = 0;  // with values
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

/// "rank 1", "ranks 0, 2".
std::string name_of(const std::vector<std::size_t>& ranks);
/// What all-reduces of floats end with if these ranks have a value that is not finite.
Outcome not_finite(const std::vector<std::size_t>& ranks);

class Int32Exchange final : public Exchange {
 public:
  /// `out` is for in.size() sums, and may be `in`; `copies` outlives this. `wraps_around`: whether
  /// the network does (SystemTraits); otherwise sums at a limit have overflowed.
  Int32Exchange(std::span<const std::int32_t> in, std::int32_t* out, bool wraps_around, Done done,
                Copies copies)
      : Exchange(in.size()),
        values_(in, copies),
        out_(out),
        wraps_around_(wraps_around),
        done_(std::move(done)) {}

  void overflowed() override { overflowed_ = true; }
  void finish() override;

 private:
  void encode(std::size_t first, numeric::ExponentCode, std::span<std::int32_t> out) const override;
  void decode(std::size_t first, numeric::ExponentCode,
              std::span<const std::int32_t> sums) override;

  Values<std::int32_t> values_;
  std::int32_t* out_;
  bool wraps_around_;
  Done done_;
  bool overflowed_ = false;
};

/// Which of a job's workers this is.
struct Rank {
  std::uint16_t own;
  std::uint32_t workers;
};

/// Floats are summed as integers of the scale that suits the largest exponent of all workers. Sums
/// beyond the largest float become infinities, which all workers see as they get the same bits.
class Float32Exchange final : public Exchange {
 public:
  /// As Int32Exchange. `agreement`: that goes before the values.
  Float32Exchange(std::span<const float> in, float* out, FloatBlocks blocks, Rank rank,
                  std::shared_ptr<const Agreement> agreement, Done done, Copies copies)
      : Exchange(in.size()),
        values_(in, copies),
        out_(out),
        blocks_(blocks),
        rank_(rank),
        agreement_(std::move(agreement)),
        done_(std::move(done)) {}

  bool has_exponents() const override { return blocks_ == FloatBlocks::fragments; }
  void finish() override;

 private:
  void encode(std::size_t first, numeric::ExponentCode largest,
              std::span<std::int32_t> out) const override;
  void decode(std::size_t first, numeric::ExponentCode largest,
              std::span<const std::int32_t> sums) override;
  numeric::ExponentCode exponent_of(std::size_t first, std::size_t count) const override;
  /// Of the scale that the packets told, or the agreement.
  numeric::DecodedExponent scale(numeric::ExponentCode largest) const;

  Values<float> values_;
  float* out_;
  FloatBlocks blocks_;
  Rank rank_;
  std::shared_ptr<const Agreement> agreement_;
  std::optional<std::size_t> not_finite_of_;  // rank of a worker
  bool overflowed_ = false;
  Done done_;
};

}  // namespace ina::library
