// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// An integer gradient in the caller's memory, which must stay valid. Fragments are read when sent.
class SpanSource final : public GradientSource {
 public:
  /// `values` belong to the tensor that begins at `first_psn`, in fragments of `fragment_values`.
  SpanSource(Psn first_psn, std::span<const std::int32_t> values, std::size_t fragment_values)
      : first_psn_(first_psn), values_(values), fragment_values_(fragment_values) {}

  std::uint32_t fragments() const {
    return static_cast<std::uint32_t>((values_.size() + fragment_values_ - 1) / fragment_values_);
  }

  void read(Psn psn, std::span<std::int32_t> out) const override {
    const std::size_t from = (psn - first_psn_) * fragment_values_;
    const std::size_t count = std::min(out.size(), values_.size() - from);
    const auto end =
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(from), count, out.begin());
    std::fill(end, out.end(), 0);
  }

 private:
  Psn first_psn_;
  std::span<const std::int32_t> values_;
  std::size_t fragment_values_;
};

}  // namespace ina
