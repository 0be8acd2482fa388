// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "hw/protocol/transport/worker_transport.hpp"

namespace ina {

/// The worker of an all-reduce with only one worker. Each sum is the worker's own gradient. The
/// worker therefore sends nothing, and submit() delivers all results.
class LoneWorker final : public WorkerTransport {
 public:
  LoneWorker(ValuePool& pool, ResultSink& sink) : pool_(pool), sink_(sink) {}

  void submit(const Tensor& tensor, Time now) override {
    for (std::uint32_t fragment = 0; fragment < tensor.fragments; ++fragment) {
      Frame result;
      result.kind = FrameKind::result;
      result.psn = tensor.first_psn + fragment;
      result.values = pool_.take();
      if (result.values) {
        tensor.source->read(result.psn, {result.values.data(), pool_.count()});
      }
      ++statistics_.results;
      sink_.fragment_complete(result, {}, now);
    }
    sink_.tensor_complete(tensor.first_psn, now);
  }
  void receive(const Frame& /* frame */, Time /* now */) override { ++statistics_.rejected_frames; }
  bool next(Frame& /* out */, Time /* now */) override { return false; }
  Time deadline() const override { return kNever; }
  void expire(Time /* now */) override {}
  std::uint32_t in_flight() const override { return 0; }
  std::uint32_t window() const override { return 0; }
  const WorkerStatistics& statistics() const override { return statistics_; }

 private:
  ValuePool& pool_;
  ResultSink& sink_;
  WorkerStatistics statistics_;
};

}  // namespace ina
