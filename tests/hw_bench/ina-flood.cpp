// SPDX-License-Identifier: BSD-3-Clause
// Runs all workers of a job in one process that only sends and receives, so that the switch between
// them is the bottleneck. Prints the packets per second to the switch; the same number returns.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/program.hpp"
#include "hw/processes/cluster_file.hpp"
#include "hw/processes/endpoints.hpp"

namespace {

using namespace ina;

constexpr std::uint32_t kEndless = 1U << 30;  // fragments
constexpr Time kWarmUp = std::chrono::milliseconds(500);

struct FloodOptions {
  std::vector<std::string> devices;
  double seconds = 1;
};

/// Source of unwritten gradients, and sink that ignores results.
class NoTensor final : public GradientSource, public ResultSink {
 public:
  void read(Psn, std::span<std::int32_t>) const override {}
  void fragment_complete(const Frame&, const Delivery&, Time) override {}
  void tensor_complete(Psn, Time) override {}
};

struct Worker {
  std::unique_ptr<ports::Device> device;
  std::unique_ptr<ports::Port> port;
  std::unique_ptr<WorkerTransport> transport;
};

std::vector<Worker> make_workers(const FloodOptions& own, const cluster::Spec& cluster,
                                 ValuePool& values, NoTensor& tensor) {
  rte_mempool& buffers = ports::make_mempool(own.devices.size(), 1);
  std::vector<Worker> workers;
  for (std::size_t rank = 0; rank < own.devices.size(); ++rank) {
    const processes::WorkerId self{0, static_cast<std::uint16_t>(rank)};
    auto device = std::make_unique<ports::Device>(own.devices[rank], cluster.format(), buffers);
    auto port = std::make_unique<ports::Port>(*device, cluster.format(), values);
    workers.push_back({std::move(device), std::move(port),
                       processes::make_transport(cluster, self, values, tensor)});
  }
  return workers;
}

std::size_t step(Worker& worker, Time now) {
  WorkerTransport& transport = *worker.transport;
  const std::size_t received =
      worker.port->receive([&](const Frame& frame) { transport.receive(frame, now); });
  if (transport.deadline() <= now) transport.expire(now);
  return received + worker.port->send([&](Frame& out) { return transport.next(out, now); });
}

std::uint64_t frames_sent(const std::vector<Worker>& workers) {
  std::uint64_t frames = 0;
  for (const Worker& worker : workers) frames += worker.port->counters().frames_sent;
  return frames;
}

/// Runs the workers until `end` on their clock. Returns the actual end.
Time run_until(std::vector<Worker>& workers, const processes::RunClock& clock,
               ports::Idle::Strategy strategy, Time end) {
  ports::Idle idle(strategy);
  Time now = clock.now();
  for (; now < end; now = clock.now()) {
    std::size_t moved = 0;
    for (Worker& worker : workers) moved += step(worker, now);
    if (moved != 0) {
      idle.found_work();
    } else {
      idle.found_nothing();
    }
  }
  return now;
}

int run(const ports::Options& options, const FloodOptions& own) {
  const cluster::Spec cluster = processes::read_cluster_file(options.cluster);
  if (own.devices.size() != cluster.jobs.front().workers.size()) {
    throw ports::PortError("--device: allowed: one for each worker of the first job");
  }
  const ports::Eal eal({own.devices, options.hugepages});
  ValuePool values(cluster.values_per_packet());
  NoTensor tensor;
  std::vector<Worker> workers = make_workers(own, cluster, values, tensor);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    ports::wait_for_link(*workers[i].device, own.devices[i]);
    workers[i].transport->submit({0, kEndless, 1, 0, &tensor}, Time::zero());
  }
  const processes::RunClock clock(processes::RunClock::Clock::now());
  const Time begin = run_until(workers, clock, options.idle_strategy(), kWarmUp);
  const std::uint64_t before = frames_sent(workers);
  const auto length = std::chrono::duration_cast<Time>(std::chrono::duration<double>(own.seconds));
  const Time end = run_until(workers, clock, options.idle_strategy(), begin + length);
  const double seconds = std::chrono::duration<double>(end - begin).count();
  std::printf("%.0f\n", static_cast<double>(frames_sent(workers) - before) / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  FloodOptions own;
  return ina::ports::run_main(
      argc, argv,
      {"ina-flood", "Prints how many packets a second go through a switch.",
       [&](CLI::App& app) {
         app.add_option("--device", own.devices,
                        "DPDK device of a worker (once for each worker, by rank)")
             ->required()
             ->allow_extra_args(false);
         app.add_option("--seconds", own.seconds,
                        "duration of the measurement in seconds (default: 1)")
             ->check(CLI::PositiveNumber);
       },
       [&](const ports::Options& options) { return run(options, own); }});
}
