// SPDX-License-Identifier: BSD-3-Clause
#include "tests/hw_bench/memory_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "hw/protocol/wire/codec.hpp"

namespace ina::benchmark {

namespace {

constexpr Time kStep = std::chrono::microseconds(1);
constexpr std::size_t kBurst = 32;  // frames per worker and step

}  // namespace

/// Frames in transit, as bytes.
class MemoryCluster::Wire {
 public:
  void put(wire::Format format, const Frame& frame) {
    if (used_ == frames_.size()) frames_.emplace_back();
    std::vector<std::byte>& out = frames_[used_++];
    out.resize(frame.bytes);
    wire::encode(format, frame, out);
  }
  void clear() { used_ = 0; }
  std::size_t size() const { return used_; }

  /// Calls `take(Frame&&)` for each frame.
  template <class Take>
  void decode_all(wire::Format format, ValuePool& pool, Take&& take) const {
    for (std::size_t i = 0; i < used_; ++i) {
      auto frame = wire::decode(format, frames_[i], pool);
      take(std::move(frame).value());
    }
  }

 private:
  std::vector<std::vector<std::byte>> frames_;  // kept to reuse their memory
  std::size_t used_ = 0;
};

struct MemoryCluster::Worker {
  Worker(const cluster::Spec& cluster, std::uint16_t own_rank, ValuePool& pool,
         std::vector<float> floats)
      : copies(library::copies_of(cluster.system->traits(), *std::pmr::get_default_resource())),
        blocks(library::blocks_of(cluster)),
        rank{own_rank, static_cast<std::uint32_t>(cluster.jobs.front().workers.size())},
        reducer({cluster.values_per_packet(), cluster.system->exponent_slots(),
                 cluster.jobs.front().training.partitions.fragments_per_iteration(), own_rank,
                 rank.workers}),
        transport(processes::make_transport(cluster, {0, own_rank}, pool, reducer)),
        values(std::move(floats)),
        sums(values.size()) {}

  void submit() {
    done = false;
    const library::Done end = [this](const library::Outcome&) { done = true; };
    const auto agreement = std::make_shared<library::Agreement>(
        library::Offer::of(std::span<const float>(values), blocks), end);
    reducer.submit({agreement, std::make_shared<library::Float32Exchange>(
                                   values, sums.data(), blocks, rank, agreement, end, copies)});
  }

  library::Copies copies;
  library::FloatBlocks blocks;
  library::Rank rank;
  library::AllReducer reducer;
  std::unique_ptr<WorkerTransport> transport;
  std::vector<float> values;
  std::vector<float> sums;
  bool done = true;
};

MemoryCluster::MemoryCluster(cluster::Spec cluster, const systems::SwitchHalf& system,
                             std::vector<std::vector<float>> floats)
    : cluster_(std::move(cluster)),
      pool_(cluster_.values_per_packet()),
      to_switch_(std::make_unique<Wire>()) {
  const cluster::JobSpec& job = cluster_.jobs.front();
  const auto workers = static_cast<std::uint16_t>(job.workers.size());
  for (HostId host = 0; host <= workers; ++host) switch_.add_port(host);
  switch_.set_program(system.make_program({.carried_values = cluster_.values_per_packet()}));
  switch_.program()->install_job(0, system.job_entry(0, workers, wire::JobServers(job.servers)));
  switch_.set_group(0, job.workers);
  server_ = processes::make_server(cluster_, {}, pool_);
  for (std::uint16_t rank = 0; rank < workers; ++rank) {
    workers_.push_back(std::make_unique<Worker>(cluster_, rank, pool_, std::move(floats[rank])));
  }
  for (std::size_t host = 0; host <= workers; ++host) {
    to_hosts_.push_back(std::make_unique<Wire>());
  }
}

MemoryCluster::~MemoryCluster() = default;

/// `work` returns how many packets it handled.
template <class Work>
void MemoryCluster::measure(Part part, Work&& work) {
  Meter& meter = meters_[static_cast<std::size_t>(part)];
  const auto begin = std::chrono::steady_clock::now();
  meter.packets += work();
  meter.time += std::chrono::steady_clock::now() - begin;
}

void MemoryCluster::all_reduce() {
  measure(Part::submit, [&] {
    for (const auto& worker : workers_) worker->submit();
    return workers_.size();
  });
  while (!std::ranges::all_of(workers_, [](const auto& worker) { return worker->done; })) {
    now_ += kStep;
    send_gradients();
    if (to_switch_->size() == 0) expire();
    pass_switch();
    serve();
    receive_results();
  }
}

/// Called when no frame is in transit: advances the clock to the next time-out.
void MemoryCluster::expire() {
  now_ = server_ ? server_->deadline() : kNever;
  for (const auto& worker : workers_) now_ = std::min(now_, worker->transport->deadline());
  if (now_ == kNever) throw std::logic_error("the cluster in memory stands still");
  for (const auto& worker : workers_) worker->transport->expire(now_);
  if (!server_) return;
  server_->expire(now_);
  send_of_server();
}

void MemoryCluster::send_gradients() {
  for (const auto& worker : workers_) worker->reducer.advance(*worker->transport, now_);
  measure(Part::send, [&] {
    const std::size_t before = to_switch_->size();
    Frame frame;
    for (const auto& worker : workers_) {
      for (std::size_t i = 0; i < kBurst && worker->transport->next(frame, now_); ++i) {
        to_switch_->put(cluster_.format(), frame);
      }
    }
    return to_switch_->size() - before;
  });
}

void MemoryCluster::pass_switch() {
  in_switch_.clear();
  measure(Part::decode, [&] {
    to_switch_->decode_all(cluster_.format(), pool_,
                           [&](Frame&& frame) { in_switch_.push_back(std::move(frame)); });
    return in_switch_.size();
  });
  to_switch_->clear();
  verdicts_.clear();
  measure(Part::program, [&] {
    for (Frame& frame : in_switch_) verdicts_.push_back(switch_.program()->process(frame, now_));
    return in_switch_.size();
  });
  for (const auto& wire : to_hosts_) wire->clear();
  measure(Part::encode, [&] {
    std::size_t sent = 0;
    for (std::size_t i = 0; i < in_switch_.size(); ++i) {
      const Frame& frame = in_switch_[i];
      if (verdicts_[i].exit == rmt::Verdict::Exit::drop) continue;
      const auto ports = switch_.egress(frame, verdicts_[i].exit);
      for (const node::PortIndex port : ports) to_hosts_[port]->put(cluster_.format(), frame);
      sent += ports.size();
    }
    return sent;
  });
}

void MemoryCluster::serve() {
  if (!server_) return;
  to_hosts_.back()->decode_all(cluster_.format(), pool_,
                               [&](Frame&& frame) { server_->receive(std::move(frame), now_); });
  send_of_server();
}

void MemoryCluster::send_of_server() {
  Frame frame;
  while (server_->next(frame)) to_switch_->put(cluster_.format(), frame);
}

void MemoryCluster::receive_results() {
  for (std::size_t rank = 0; rank < workers_.size(); ++rank) {
    measure(Part::receive, [&] {
      to_hosts_[rank]->decode_all(cluster_.format(), pool_, [&](const Frame& frame) {
        workers_[rank]->transport->receive(frame, now_);
      });
      return to_hosts_[rank]->size();
    });
  }
}

Errors MemoryCluster::errors() const {
  Errors errors;
  const std::vector<float>& sums = workers_.front()->sums;
  std::size_t not_zero = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double sum = 0;
    double magnitudes = 0;
    for (const auto& worker : workers_) {
      if (worker->sums[i] != sums[i]) throw std::logic_error("workers got different sums");
      sum += double{worker->values[i]};
      magnitudes += std::abs(double{worker->values[i]});
    }
    if (magnitudes == 0) continue;
    const double error = std::abs(double{sums[i]} - sum) / magnitudes;
    errors.largest = std::max(errors.largest, error);
    errors.mean += error;
    ++not_zero;
  }
  errors.mean /= static_cast<double>(std::max<std::size_t>(not_zero, 1));
  return errors;
}

std::uint64_t MemoryCluster::packets_sent() const {
  return workers_.front()->transport->statistics().packets_sent;
}

}  // namespace ina::benchmark
