// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::testing {

using Integers = std::vector<std::int32_t>;

inline Integers integers(const Values& values) {
  return {values.data(), values.data() + values.size()};
}

/// A buffer of `pool` that holds `content`, which must have as many values as the pool's buffers.
inline Values values_of(ValuePool& pool, const Integers& content) {
  Values values = pool.take();
  std::copy(content.begin(), content.end(), values.data());
  return values;
}

/// A gradient packet of the worker on host 10 + `rank`.
inline Frame gradient(JobId job, std::uint16_t rank, Psn psn, Values values) {
  Frame frame;
  frame.job = job;
  frame.psn = psn;
  frame.worker = rank;
  frame.aggregator().bitmap0 = 1U << rank;
  frame.source = static_cast<HostId>(10 + rank);
  frame.values = std::move(values);
  return frame;
}

inline bool same(const Frame& a, const Frame& b) {
  const auto fields = [](const Frame& f) {
    return std::tie(f.psn, f.job, f.worker, f.source, f.destination, f.bytes, f.kind, f.flags,
                    f.fields);
  };
  return fields(a) == fields(b) && integers(a.values) == integers(b.values);
}

/// Source in which value i of worker w's fragment `psn` is 1000 psn + 10 w + i.
class CountingSource final : public GradientSource {
 public:
  explicit CountingSource(std::int32_t worker) : worker_(worker) {}
  void read(Psn psn, std::span<std::int32_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<std::int32_t>(1000 * psn + i) + 10 * worker_;
    }
  }

 private:
  std::int32_t worker_;
};

/// Records the results that a transport delivers.
class RecordingSink final : public ResultSink {
 public:
  void fragment_complete(const Frame& result, const Delivery& delivery, Time) override {
    fragments.push_back(result.psn);
    const auto* const block = std::get_if<SwitchmlFields>(&result.fields);
    exponents.push_back(block == nullptr ? std::uint16_t{0} : block->exponents);
    if (delivery.resent) resent_fragments.push_back(result.psn);
    if (result.has(flag::floats)) float_fragments.push_back(result.psn);
  }
  void tensor_complete(Psn first_psn, Time) override { tensors.push_back(first_psn); }

  std::vector<Psn> fragments;
  std::vector<std::uint16_t> exponents;  // exponents of `fragments`
  std::vector<Psn> resent_fragments;
  std::vector<Psn> float_fragments;
  std::vector<Psn> tensors;
};

}  // namespace ina::testing
