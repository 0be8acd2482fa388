// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/cluster/training/jitter_per.hpp"
#include "hw/cluster/training/job_gradients.hpp"
#include "hw/cluster/training/model_profile.hpp"
#include "hw/cluster/training/partition_plan.hpp"
#include "hw/cluster/training/worker_iteration.hpp"
#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/prefetchable.hpp"
#include "hw/protocol/server/psn_set.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::cluster {

/// The training of a job, the same for all its workers.
struct TrainingPlan {
  std::uint32_t iterations = 1;
  std::vector<LayerProfile> layers;  ///< from front to back
  PartitionPlan partitions;
  /// Number of partitions that are submitted only after the backward pass, the last ones in the
  /// order of sending.
  std::uint32_t exposed_partitions = 0;
  /// Factors for compute times, one row per worker: worker w in iteration i has factor i % (size of
  /// the row) of row w % (number of rows). Empty: all factors are 1.
  std::vector<std::vector<double>> compute_time_factors;
  Time jitter_low{};
  Time jitter_high{};
  JitterPer jitter_per = JitterPer::partition;
  /// Rate of worker w's link: line_rates_bps[w % size].
  std::vector<std::uint64_t> line_rates_bps = {0};
  PriorityCode priority_code;
  /// Time, in an otherwise empty network, from sending a fragment to the complete arrival of its
  /// result. 0 if unknown; propagation then counts as queueing.
  Time unloaded_path{};

  bool operator==(const TrainingPlan&) const = default;
};

/// The two computations of a layer in each iteration.
enum class Pass : std::uint8_t { backward, forward };

/// Interface to the simulated or real environment of a training worker.
class TrainingWorld {
 public:
  virtual ~TrainingWorld() = default;

  /// Submits a tensor to the worker's transport.
  virtual void submit(const Tensor& tensor, Time now) = 0;
  /// Transmission time of a frame of `bytes` bytes on the worker's link.
  virtual Time serialisation(std::uint32_t bytes) const = 0;
  /// A random time, from the worker's own random stream, between `low` and `high`, both included.
  virtual Time draw(Time low, Time high) = 0;

  virtual void iteration_started(std::uint32_t iteration, Time now) = 0;
  virtual void partition_submitted(std::uint32_t iteration, std::size_t partition, Time now) = 0;
  /// Time at which the last of the job's workers submitted the partition, as far as it is known
  /// here.
  virtual Time last_submitted(std::uint32_t iteration, std::size_t partition) const = 0;
  virtual void iteration_ended(std::uint32_t iteration, const WorkerIteration& ended) = 0;

  // Notifications for time lines.

  /// Reports that the worker computes from `begin` to `end`, which may be in the future.
  virtual void computes(std::uint32_t /* iteration */, Pass, std::size_t /* layer */,
                        Time /* begin */, Time /* end */) {}
  /// All results of the partition have arrived.
  virtual void partition_completed(std::uint32_t /* iteration */, std::size_t /* partition */,
                                   Time /* now */) {}
};

/// One worker of a training job. It computes the backward pass from the last layer to the first. It
/// submits a partition one jitter after its layer's gradient is ready or, if the partition is
/// exposed, after all gradients are ready. It computes the forward pass of a layer when all results
/// of the layer have arrived and the previous layer is done. It verifies that each result arrives
/// exactly once and is exact.
class TrainingWorker : public ResultSink, public Prefetchable, private GradientSource {
 public:
  /// All arguments must outlive this.
  TrainingWorker(const TrainingPlan& plan, const JobGradients& gradients, TrainingWorld& world,
                 std::uint16_t rank);

  /// Begins iteration `iteration` at `at`, with PSN 0. Discards all earlier activity.
  void begin(std::uint32_t iteration, Time at);

  /// Time at which advance() is due; kNever if the worker only waits for results or has ended.
  Time deadline() const;
  /// Performs what is due: submits partitions, or continues with the next layer or iteration.
  void advance(Time now);

  void fetch_ahead(unsigned step) const override {
    if (step == 0) fetch_between(this, &estimates_);
  }

  bool done() const { return iteration_ == plan_.iterations; }
  /// The current iteration, which is also the number of iterations that the worker has ended.
  std::uint32_t iteration() const { return iteration_; }
  std::uint64_t fragments_done() const { return fragments_done_; }
  /// The first missing result of the current iteration.
  std::optional<Psn> first_missing() const;

  /// Throws VerificationError.
  void fragment_complete(const Frame& result, const Delivery& delivery, Time now) override;
  void part_came(std::uint16_t bytes, Time now) final;
  void tensor_complete(Psn first_psn, Time now) override;

 private:
  struct Submission {
    Time at;
    std::size_t partition;
  };

  /// A partition that all workers have submitted, since one of its results has arrived.
  struct Submitted {
    Psn first_psn = 0;
    std::uint32_t fragments = 0;
    Time here_at{};
    Time by_all_at{};
  };

  void read(Psn psn, std::span<std::int32_t> out) const override;
  void read_floats(Psn psn, std::span<float> out) const override;
  numeric::ExponentCode exponent(Psn psn) const override;
  void read_block(Psn psn, numeric::ExponentCode agreed,
                  std::span<std::int32_t> out) const override;

  Time compute_time(std::int64_t nominal_ps) const;
  Time draw_jitter() { return world_.draw(plan_.jitter_low, plan_.jitter_high); }
  void start_iteration(Time now);
  void plan_submissions(const std::vector<Time>& layer_ready);
  void submit_next(Time now);
  void computed(Time now);
  void try_forward(Time now);
  void end_iteration(Time now);

  [[noreturn, gnu::cold]] void refuse(const Frame& result, bool expected) const;
  /// Attributes the time since the last result to the parts of the breakdown.
  void attribute(const Frame& result, const Delivery& delivery, Time now);
  /// Attributes the time beyond serialisation. Not inlined, because this time is mostly 0.
  [[gnu::noinline]] void attribute_rest(Time gap_start, Time rest, const Frame& result,
                                        const Delivery& delivery, Time now);
  void attribute_network(Time rest, const Delivery& delivery, Hold hold, Time now);
  [[gnu::noinline, gnu::cold]] void look_up_submitted(Psn psn);

  // Members that are used for every result come first, in as few cache lines as possible.
  // fetch_ahead() prefetches only these members.
  const TrainingPlan& plan_;
  const JobGradients& gradients_;
  TrainingWorld& world_;
  std::uint16_t rank_;
  Psn first_psn_ = 0;  // first PSN of the present iteration
  RecentPsnSet verified_;
  std::uint64_t fragments_done_ = 0;
  std::optional<Time> computes_until_;
  Time attributed_until_{};
  Time result_serialisation_{};  // 0: no result in this iteration yet
  Time part_came_at_{};          // arrival of the last part_came()
  Time parts_serialisation_{};   // of the parts since the last result
  Submitted submitted_;          // the last partition that was looked up
  JctBreakdown breakdown_;

  PriorityEstimates estimates_;
  JctBreakdown until_first_result_;
  std::vector<Time> submitted_at_;     // by partition, in this iteration
  std::optional<Time> worker_jitter_;  // only if the jitter is per worker
  std::uint32_t iteration_ = 0;
  std::optional<Time> begins_at_;
  Time iteration_start_{};
  std::vector<Submission> submissions_;  // of the iteration, in the order of time
  std::size_t next_submission_ = 0;
  bool backward_ = false;                          // whether it is in the backward pass
  std::size_t next_forward_ = 0;                   // layer whose forward pass is next
  std::vector<std::uint32_t> partitions_missing_;  // per layer, in this iteration
  std::vector<Time> results_in_at_;                // per complete layer: last result's arrival

  /// State that determines the next steps.
  BOOST_DESCRIBE_CLASS(TrainingWorker, (), (), (),
                       (iteration_, first_psn_, submissions_, next_submission_, computes_until_,
                        backward_, next_forward_, partitions_missing_, verified_))
};

}  // namespace ina::cluster
