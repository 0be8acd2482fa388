// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// A float gradient in the caller's memory, which must stay valid. Fragments are quantised with a
/// fixed scale when they are sent (ATP 3.8). A value that does not fit an integer saturates. A NaN
/// or an infinity saturates the whole fragment. ATP's server then requests the floats.
class QuantisedSource final : public GradientSource {
 public:
  /// `values` belong to the tensor that begins at `first_psn`, in fragments of `fragment_values`.
  /// `scale`: integers per 1.0, positive and finite.
  QuantisedSource(Psn first_psn, std::span<const float> values, double scale,
                  std::size_t fragment_values)
      : first_psn_(first_psn), values_(values), scale_(scale), fragment_values_(fragment_values) {}

  void read(Psn psn, std::span<std::int32_t> out) const override;
  void read_floats(Psn psn, std::span<float> out) const override;

 private:
  std::span<const float> fragment(Psn psn, std::size_t most) const;

  Psn first_psn_;
  std::span<const float> values_;
  double scale_;
  std::size_t fragment_values_;
};

}  // namespace ina
