// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/cluster/training/job_gradients.hpp"
#include "hw/cluster/training/training_worker.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "tests/support/overflow.hpp"
#include "tests/support/random.hpp"
#include "tests/support/star_network.hpp"

namespace ina::testing {

/// The tensors and times of a job. All iterations have the same tensors.
struct JobPlan {
  std::uint16_t workers = 1;
  std::uint32_t iterations = 1;
  std::vector<std::uint32_t> tensors;   ///< fragments with values, per tensor
  bool any_order = false;               ///< whether each worker has its own order of tensors
  std::uint32_t overflow_percent = 0;   ///< ATP: share of fragments whose sums may overflow
  std::uint32_t exponent_slots = 0;     ///< SwitchML: slots in block floating point; 0: integers
  std::uint32_t straggler_percent = 0;  ///< chance that a computation takes up to `straggle` longer
  Time compute = std::chrono::microseconds(50);
  Time straggle = std::chrono::milliseconds(5);
};

/// Common objects of the workers of a job under one id.
struct JobInTraining {
  /// `seed`: seed of the gradients. `width`: number of values per frame.
  JobInTraining(const JobPlan& plan, JobId id, std::uint64_t seed, std::size_t width);
  JobInTraining(const JobInTraining&) = delete;
  JobInTraining& operator=(const JobInTraining&) = delete;

  JobPlan plan;
  JobId id;
  std::uint64_t seed;
  cluster::TrainingPlan training;
  cluster::JobGradients gradients;
  Overflow overflow;
};

/// A training worker on a host of a StarNetwork.
class TrainingHost final : public Host, private cluster::TrainingWorld, private ResultSink {
 public:
  using MakeTransport = std::function<std::unique_ptr<WorkerTransport>(ResultSink&)>;

  /// `job` and `random` must outlive it.
  TrainingHost(const JobInTraining& job, std::uint16_t rank, Random& random,
               const MakeTransport& make);

  void begin(std::uint32_t iteration, Time now) { worker_.begin(iteration, now); }
  void when_iteration_ends(std::function<void(Time)> ended) { ended_ = std::move(ended); }

  void receive(Frame&& frame, Time now) override { transport_->receive(frame, now); }
  bool next(Frame& out, Time now) override { return transport_->next(out, now); }
  Time deadline() const override { return std::min(transport_->deadline(), worker_.deadline()); }
  void expire(Time now) override;

  /// Describes the first failure so far, or returns "".
  const std::string& complaint() const { return complaint_; }
  /// Whether a worker may still wait for the acknowledgement of a frame when its job ends.
  enum class AtTheEnd : std::uint8_t { nothing_waits, acknowledgements_may_be_missing };
  /// Describes what is wrong with this worker at the end of its job, or returns "".
  std::string verdict(AtTheEnd at_the_end) const;
  const WorkerStatistics& statistics() const { return transport_->statistics(); }

 private:
  /// The training loop's gradients, with the job's overflows added.
  class Overflowing final : public GradientSource {
   public:
    Overflowing(const Overflow& overflow, std::uint16_t rank) : overflow_(overflow), rank_(rank) {}
    void read(Psn psn, std::span<std::int32_t> out) const override;
    void read_floats(Psn psn, std::span<float> out) const override;

    const GradientSource* loop = nullptr;

   private:
    const Overflow& overflow_;
    std::uint16_t rank_;
  };

  void submit(const Tensor& tensor, Time now) override;
  Time serialisation(std::uint32_t bytes) const override;
  Time draw(Time low, Time high) override;
  void iteration_started(std::uint32_t, Time) override {}
  void partition_submitted(std::uint32_t, std::size_t, Time) override {}
  Time last_submitted(std::uint32_t, std::size_t) const override { return {}; }
  void iteration_ended(std::uint32_t, const cluster::WorkerIteration& ended) override {
    ended_(ended.end);
  }

  void fragment_complete(const Frame& result, const Delivery& delivery, Time now) override;
  void tensor_complete(Psn first_psn, Time now) override {
    worker_.tensor_complete(first_psn, now);
  }
  /// Verifies the overflowing value, and returns the result without it.
  Frame without_overflow(const Frame& result) const;

  const JobInTraining& job_;
  std::uint16_t rank_;
  Random& random_;
  Overflowing overflowing_;
  cluster::TrainingWorker worker_;
  std::unique_ptr<WorkerTransport> transport_;
  std::function<void(Time)> ended_ = [](Time) {};
  std::string complaint_;
};

}  // namespace ina::testing
