// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/quantised_source.hpp"

#include <algorithm>
#include <limits>

#include "hw/protocol/numeric/fixed_point.hpp"

namespace ina {

std::span<const float> QuantisedSource::fragment(Psn psn, std::size_t most) const {
  const std::size_t from = (psn - first_psn_) * fragment_values_;
  return values_.subspan(from, std::min(most, values_.size() - from));
}

void QuantisedSource::read(Psn psn, std::span<std::int32_t> out) const {
  const std::span<const float> from = fragment(psn, out.size());
  const auto status = numeric::quantise(from, scale_, out.first(from.size()));
  if (status.non_finite) std::ranges::fill(out, std::numeric_limits<std::int32_t>::max());
  std::ranges::fill(out.subspan(from.size()), 0);
}

void QuantisedSource::read_floats(Psn psn, std::span<float> out) const {
  const std::span<const float> from = fragment(psn, out.size());
  std::ranges::copy(from, out.begin());
  std::ranges::fill(out.subspan(from.size()), 0.F);
}

}  // namespace ina
