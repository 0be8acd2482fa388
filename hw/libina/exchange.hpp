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

/// Memory for copies of arrays. If null, arrays are read in place during their all-reduce.
using Copies = std::pmr::memory_resource*;

/// Returns `memory` if arrays must be copied, otherwise null. With servers, other workers may still
/// need this worker's fragments after its caller has got the sums and has overwritten the array.
/// Without servers, the switch resends lost results from its shadow copy. A worker then never
/// resends a fragment whose sum it has.
inline Copies copies_of(const cluster::SystemTraits& system, std::pmr::memory_resource& memory) {
  return system.has_servers ? &memory : nullptr;
}

/// The caller's array, or a copy of it.
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

/// Floats that share a scale: all of an array, whose largest exponent an Agreement determines, or
/// all of a fragment, whose largest exponent earlier packets determine (SwitchML; see
/// Tensor::exponent_lead).
enum class FloatBlocks : std::uint8_t { arrays, fragments };

/// Returns `fragments` if the cluster file selects block floating point (SwitchML only).
inline FloatBlocks blocks_of(const cluster::Spec& cluster) {
  return cluster.in_blocks() ? FloatBlocks::fragments : FloatBlocks::arrays;
}

/// An array that is summed over the workers. Its fragments have consecutive PSNs.
class Exchange : public GradientSource {
 public:
  explicit Exchange(std::size_t count) : count_(count) {}

  std::size_t count() const { return count_; }
  std::uint64_t fragments(std::size_t fragment_values) const {
    return fragments_of(count_, fragment_values);
  }
  /// Whether exponents are sent ahead of the values.
  virtual bool has_exponents() const { return false; }
  /// Assigns the PSNs of the fragments, each of `fragment_values` values. The first `exponent_lead`
  /// fragments carry only exponents.
  void assign_psns(Psn first_psn, std::size_t fragment_values, std::uint32_t exponent_lead);
  void take(const Frame& result);
  /// Called if the sums of a fragment overflowed, so that its result has floats (ATP 3.8).
  virtual void overflowed() {}
  /// Called when all fragments of this exchange and of all earlier ones have been taken.
  virtual void finish() {}

  void read(Psn psn, std::span<std::int32_t> out) const final { read_block(psn, 0, out); }
  void read_block(Psn psn, numeric::ExponentCode largest, std::span<std::int32_t> out) const final;
  numeric::ExponentCode exponent(Psn psn) const final;

 private:
  /// Writes this worker's values from index `first` on, scaled by the exponent `largest`, which
  /// earlier packets determined.
  virtual void encode(std::size_t first, numeric::ExponentCode largest,
                      std::span<std::int32_t> out) const = 0;
  virtual void decode(std::size_t first, numeric::ExponentCode largest,
                      std::span<const std::int32_t> sums) = 0;
  /// Largest exponent of `count` of this worker's values from index `first` on.
  virtual numeric::ExponentCode exponent_of(std::size_t, std::size_t) const { return 0; }

  std::size_t offset_of(Psn psn) const { return (psn - first_psn_) * fragment_values_; }

  std::size_t count_;
  Psn first_psn_ = 0;  // PSN of the first fragment with values
  std::size_t fragment_values_ = 1;
};

/// Outcome of an all-reduce, with the reason if it failed.
struct Outcome {
  ina_status status = INA_OK;
  std::string why;
};
using Done = std::function<void(const Outcome&)>;

/// The exponent of an array's largest magnitude; nothing if the array has a NaN or an infinity.
using LargestExponent = std::optional<numeric::ChunkExponent>;

class Agreement;

/// Formats ranks: "rank 1", "ranks 0, 2".
std::string name_of(const std::vector<std::size_t>& ranks);
/// Outcome of a float all-reduce to which these workers submitted a NaN or an infinity.
Outcome not_finite(const std::vector<std::size_t>& ranks);

class Int32Exchange final : public Exchange {
 public:
  /// `out`: room for in.size() sums; may be `in`. `copies` must outlive this object.
  /// `wraps_around`: whether the network's additions wrap around (SystemTraits); if not, a sum at a
  /// limit has overflowed.
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

/// A worker's rank and the number of workers in its job.
struct Rank {
  std::uint16_t own;
  std::uint32_t workers;
};

/// Sums floats as integers, with a scale from the largest exponent of all workers. A sum beyond the
/// largest float becomes an infinity. All workers detect the overflow, since they get equal bits.
class Float32Exchange final : public Exchange {
 public:
  /// Parameters as for Int32Exchange. `agreement`: the agreement that precedes the values.
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
  /// The scale: `largest` for fragments, the result of the agreement for arrays.
  numeric::DecodedExponent scale(numeric::ExponentCode largest) const;

  Values<float> values_;
  float* out_;
  FloatBlocks blocks_;
  Rank rank_;
  std::shared_ptr<const Agreement> agreement_;
  std::optional<std::size_t> not_finite_of_;  // rank of a worker with a value that is not finite
  bool overflowed_ = false;
  Done done_;
};

}  // namespace ina::library
