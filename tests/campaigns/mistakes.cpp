// SPDX-License-Identifier: BSD-3-Clause
#include "tests/campaigns/mistakes.hpp"

#include <map>
#include <memory>
#include <utility>

#include "hw/protocol/transport/peer_worker.hpp"
#include "hw/protocol/wire/flow.hpp"
#include "tests/exploration/archive.hpp"
#include "tests/exploration/mutants.hpp"
#include "tests/support/control_mistakes.hpp"

namespace ina::campaigns {

namespace {

using testing::ClusterShape;
using testing::system_called;
using testing::SystemId;

// ---- in the training loop

/// A transport whose training loop is mistaken.
class MistakenTraining : public WorkerTransport {
 public:
  explicit MistakenTraining(std::unique_ptr<WorkerTransport> transport)
      : transport_(std::move(transport)) {}

  void submit(const Tensor& tensor, Time now) override { transport_->submit(tensor, now); }
  void receive(const Frame& frame, Time now) override { transport_->receive(frame, now); }
  bool next(Frame& out, Time now) override { return transport_->next(out, now); }
  Time deadline() const override { return transport_->deadline(); }
  void expire(Time now) override { transport_->expire(now); }
  std::uint32_t in_flight() const override { return transport_->in_flight(); }
  std::uint32_t window() const override { return transport_->window(); }
  const WorkerStatistics& statistics() const override { return transport_->statistics(); }

 protected:
  WorkerTransport& transport() { return *transport_; }

 private:
  std::unique_ptr<WorkerTransport> transport_;
};

/// A worker that receives frames like the worker of a mutant.
class MutantWorker final : public MistakenTraining {
 public:
  MutantWorker(const exploration::Mutant& mutant, std::unique_ptr<WorkerTransport> transport)
      : MistakenTraining(std::move(transport)), mutant_(mutant) {}
  void receive(const Frame& frame, Time now) override {
    mutant_.at_worker(transport(), frame, now);
  }

 private:
  const exploration::Mutant& mutant_;
};

/// The loop treats a partition as complete when the first result arrives, so it computes the next
/// forward pass too early.
class EarlyForward final : public MistakenTraining {
 public:
  /// Sink between the transport and the loop.
  class Sink final : public ResultSink {
   public:
    explicit Sink(ResultSink& loop) : loop_(loop) {}
    void submitted(const Tensor& tensor) { open_.emplace(tensor.first_psn, tensor.fragments); }
    void fragment_complete(const Frame& result, const Delivery& delivery, Time now) override {
      loop_.fragment_complete(result, delivery, now);
      auto tensor = open_.upper_bound(result.psn);
      if (tensor == open_.begin()) return;
      --tensor;
      if (result.psn - tensor->first >= tensor->second) return;
      const Psn first = tensor->first;
      open_.erase(tensor);
      loop_.tensor_complete(first, now);
    }
    void tensor_complete(Psn, Time) override {}

   private:
    ResultSink& loop_;
    std::map<Psn, std::uint32_t> open_;  // fragments of each tensor without a result, by first PSN
  };

  EarlyForward(std::unique_ptr<Sink> sink, std::unique_ptr<WorkerTransport> transport)
      : MistakenTraining(std::move(transport)), sink_(std::move(sink)) {}
  void submit(const Tensor& tensor, Time now) override {
    sink_->submitted(tensor);
    MistakenTraining::submit(tensor, now);
  }

 private:
  std::unique_ptr<Sink> sink_;
};

std::unique_ptr<WorkerTransport> make_early_forward(const ClusterShape& shape,
                                                    const WorkerIdentity& identity, ValuePool& pool,
                                                    ResultSink& loop) {
  auto sink = std::make_unique<EarlyForward::Sink>(loop);
  auto transport = testing::make_worker(shape, identity, pool, *sink);
  return std::make_unique<EarlyForward>(std::move(sink), std::move(transport));
}

/// The worker accepts frames of any registration.
class AnyRegistration final : public MistakenTraining {
 public:
  AnyRegistration(JobId id, std::unique_ptr<WorkerTransport> transport)
      : MistakenTraining(std::move(transport)), id_(id) {}
  void receive(const Frame& frame, Time now) override {
    Frame taken = frame;
    taken.job = id_;
    MistakenTraining::receive(taken, now);
  }

 private:
  JobId id_;
};

std::unique_ptr<WorkerTransport> make_any_registration(const ClusterShape& shape,
                                                       const WorkerIdentity& identity,
                                                       ValuePool& pool, ResultSink& loop) {
  return std::make_unique<AnyRegistration>(identity.job,
                                           testing::make_worker(shape, identity, pool, loop));
}

/// The loop claims that all workers have the results before a partition, instead of before its
/// iteration.
class ForgottenPartitions final : public MistakenTraining {
 public:
  using MistakenTraining::MistakenTraining;
  void submit(const Tensor& tensor, Time now) override {
    Tensor mistaken = tensor;
    mistaken.low_watermark = tensor.first_psn;
    MistakenTraining::submit(mistaken, now);
  }
};

std::unique_ptr<WorkerTransport> make_forgotten_partitions(const ClusterShape& shape,
                                                           const WorkerIdentity& identity,
                                                           ValuePool& pool, ResultSink& loop) {
  return std::make_unique<ForgottenPartitions>(testing::make_worker(shape, identity, pool, loop));
}

// ---- in all-reduces among workers

/// A worker with peers.
class MistakenPeer : public MistakenTraining {
 public:
  using MistakenTraining::MistakenTraining;

 protected:
  auto& peers() { return exploration::member<"peers_">(static_cast<PeerWorker&>(transport())); }
};

template <class Peer>
std::unique_ptr<WorkerTransport> make_peer(const ClusterShape& shape,
                                           const WorkerIdentity& identity, ValuePool& pool,
                                           ResultSink& loop) {
  return std::make_unique<Peer>(testing::make_worker(shape, identity, pool, loop));
}

/// A received part is forwarded unchanged, without the worker's own contribution.
class PassesOnBeforeAdding final : public MistakenPeer {
 public:
  using MistakenPeer::MistakenPeer;
  void receive(const Frame& frame, Time now) override {
    MistakenPeer::receive(frame, now);
    if (frame.kind != FrameKind::gradient) return;
    for (auto& peer : peers()) {
      for (auto& queue : exploration::member<"queues_">(peer.forwards)) {
        if (queue.items.empty()) continue;
        auto& last = queue.items[queue.items.size() - 1];
        if (last.kind == FrameKind::gradient && last.psn == frame.psn) last.values = frame.values;
      }
    }
  }
};

/// Frames that a time-out has declared lost are not retransmitted.
class ForgetsWhatGotLost final : public MistakenPeer {
 public:
  using MistakenPeer::MistakenPeer;
  void expire(Time now) override {
    MistakenPeer::expire(now);
    for (auto& peer : peers()) exploration::member<"lost_">(peer.sender).clear();
  }
};

/// An old acknowledgement is counted again, as if one frame fewer were in flight.
class CountsAnAcknowledgementAgain final : public MistakenPeer {
 public:
  using MistakenPeer::MistakenPeer;
  void receive(const Frame& frame, Time now) override {
    MistakenPeer::receive(frame, now);
    if (frame.kind != FrameKind::acknowledgement) return;
    for (auto& peer : peers()) {
      if (peer.host != frame.source) continue;
      const std::uint32_t known = exploration::member<"first_">(peer.sender);
      const bool older = wire::is_before(frame.flow().acknowledged_before, known);
      if (older) --exploration::member<"in_flight_">(peer.sender);
    }
  }
};

const Mistake kMistakes[] = {
    {system_called("switchml"), "switchml-skip-the-bitmap-test", "the workers' sum"},
    {system_called("switchml"), "switchml-drop-the-shadow-copy", "stuck"},
    {system_called("switchml"), "switchml-forget-the-latest-fragment", "aggregators were in use"},
    {system_called("switchml"), "switchml-keep-the-last-exponent", "the workers' largest"},
    {system_called("switchml"), "switchml-shadow-copy-without-exponent", "but the workers'"},
    {system_called("switchml"), "switchml-answer-at-the-leaf", "the workers' sum"},
    {system_called("switchml"), "switchml-send-up-once", "stuck"},
    {system_called("atp"), "atp-skip-the-bitmap-test", "the workers' sum"},
    {system_called("atp"), "atp-rto-without-resend", "aggregators were in use"},
    {system_called("atp"), "atp-forget-to-free", "aggregators were in use"},
    {system_called("atp"), "atp-add-up-resends-at-the-second-level", "stuck"},
    {system_called("atp"), "atp-add-up-after-a-collision", "the workers' sum"},
    {system_called("atp"), "atp-hide-the-overflow", "the workers' sum"},
    {system_called("atp"), "atp-floats-without-their-flag", "stuck"},
    {system_called("dsa"), "dsa-free-before-multicast", "the workers' sum"},
    {system_called("dsa"), "dsa-forget-an-evicted-bitmap", "the workers' sum"},
    {system_called("dsa"), "dsa-no-reminder", "stuck"},
    {system_called("dsa"), "dsa-rto-without-resend", "aggregators were in use"},
    {system_called("dsa"), "dsa-leaf-answers-its-workers", "the workers' sum"},
    {system_called("dsa"), "dsa-leaf-passes-a-part-on-as-its-sum", "stuck"},
    {system_called("dsa"), "dsa-reminder-reaches-the-root-only", "stuck"},
    {system_called("byteps"), "byteps-take-a-frame-again", "the workers' sum"},
    {system_called("ring"), "ring-take-a-frame-again", "twice"},
    {system_called("ring"), "ring-believe-that-all-came", "did not end"},
    {system_called("ring"), "ring-forget-what-is-held", "did not end"},
    {system_called("ring"), "ring-acknowledge-what-is-refused", "did not end"},
    {system_called("ring"), "ring-pass-on-before-adding", "the workers' sum",
     make_peer<PassesOnBeforeAdding>},
    {system_called("ring"), "ring-forget-what-got-lost", "did not end",
     make_peer<ForgetsWhatGotLost>},
    {system_called("ring"), "ring-count-an-acknowledgement-again", "did not end",
     make_peer<CountsAnAcknowledgementAgain>},
    {system_called("dsa"), "training-early-forward", "a result outside of iteration",
     make_early_forward},
    {system_called("switchml"), "training-any-registration", "the workers' sum",
     make_any_registration},
    {system_called("dsa"), "training-forgotten-partitions", "stuck", make_forgotten_partitions},
    {system_called("dsa"), "control-same-id", "the workers' sum", nullptr, testing::make_same_id},
    {system_called("dsa"), "control-later-iteration", "is in iteration", nullptr,
     testing::make_later_iteration},
    {system_called("atp"), "control-forgotten-switch", "aggregators are in use by no job", nullptr,
     testing::make_forgotten_switch},
    {system_called("dsa"), "control-old-server", "stuck", nullptr, testing::make_old_server},
    {system_called("atp"), "control-empty-switch", "stuck", nullptr, testing::make_empty_switch},
    {system_called("dsa"), "control-endless-pause", "did not end", nullptr,
     testing::make_endless_pause},
};

}  // namespace

std::span<const Mistake> mistakes() { return kMistakes; }

Setting setting_with(const Mistake& mistake) {
  Setting setting;
  setting.make_control_mistake = mistake.make_control_mistake;
  if (mistake.make_worker) setting.make_worker = mistake.make_worker;
  if (mistake.make_worker || mistake.make_control_mistake) return setting;
  const exploration::Mutant& mutant = exploration::mutant_of_name(mistake.mutant);
  setting.make_program = [&mutant](const ClusterShape& shape) {
    return make_mutant_program(mutant, testing::make_program(shape));
  };
  setting.make_worker = [&mutant](const ClusterShape& shape, const WorkerIdentity& identity,
                                  ValuePool& pool, ResultSink& loop) {
    return std::make_unique<MutantWorker>(mutant,
                                          testing::make_worker(shape, identity, pool, loop));
  };
  return setting;
}

}  // namespace ina::campaigns
