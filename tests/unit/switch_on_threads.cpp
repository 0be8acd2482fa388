// SPDX-License-Identifier: BSD-3-Clause
// A whole cluster on several threads, without DPDK. Each thread has a part of the software switch
// and some of the hosts. Frames of hosts go, as bytes, to the part that owns their aggregator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hw/dpdk/ports/core_rings.hpp"
#include "hw/processes/endpoints.hpp"
#include "hw/processes/process_training.hpp"
#include "hw/protocol/wire/codec.hpp"
#include "hw/protocol/wire/steering.hpp"
#include "switch-models/software/switch_file.hpp"

namespace ina::software {
namespace {

using cluster::Spec;
using json = fields::Json;

constexpr std::size_t kRing = 64;
constexpr std::chrono::seconds kPatience(600);
constexpr HostId kFirstServer = 4;

/// Settings with windows. Time-outs are longer than a thread waits for its turn.
json settings_of(const std::string& system) {
  if (system == "switchml") return {{"values_per_packet", 64}, {"slots", 50}, {"rto", "20ms"}};
  json settings = {{"initial_window_packets", 60}, {"max_window_packets", 60}, {"min_rto", "20ms"}};
  settings[system == "dsa" ? "reminder_min_timeout" : "request_timeout"] = "20ms";
  if (system != "ps") settings["addressing"] = "hash";
  return settings;
}

/// Two jobs of two workers, with fewer aggregators than packets in flight.
json cluster_json(const std::string& system, const json& faults) {
  json file = json::parse(R"({
    "format": 9,
    "environment": {"aggregators": 100, "hash": "crc32", "line_rate": "1Gbps", "slowest_rate": "1Gbps",
                    "framing_bytes": 0, "to_switch_and_back": "5us", "to_server_and_back": "10us",
                    "ecn_threshold_bytes": "60kB", "seed": 1},
    "switch": {"buffer_bytes": 16000000}, 
    "topology": {"switches": [{"name": "switch", "height": 0}], "trunks": [],
                 "hosts": [0, 0, 0, 0, 0, 0], "parameter_servers": 2,
                 "root": "server_leaf"}, "jobs": [], "node_faults": []
  })");
  file["system"] = system;
  file["settings"] = settings_of(system);
  file["loses_jobs_with_switch"] = system == "switchml";
  file["faults"] = faults;
  for (unsigned job = 0; job < 2; ++job) {
    json one = json::parse(R"({
      "profile": "one-layer", "iterations": 3, "start_ps": 0, "compute_time_factors": [],
      "jitter": {"low_ps": 0, "high_ps": 0, "per": "partition", "first_stream": 1},
      "layers": [{"parameters": 37200, "forward_ps": 1000000, "backward_ps": 1000000}],
      "partitions": [{"layer": 0, "fragments": 600}], "exposed_partitions": 0
    })");
    one["seed"] = job + 1;
    one["workers"] = {2 * job, 2 * job + 1};
    if (system != "switchml") one["servers"] = {kFirstServer + job};
    file["jobs"].push_back(one);
  }
  return file;
}

struct Packet {
  std::vector<std::byte> bytes;
  HostId host = 0;  // source of the frame's link
};

/// State shared by the threads.
struct Wires {
  explicit Wires(unsigned cores) : to_switch(cores, kRing), to_hosts(cores, kRing) {}

  ports::CoreRings<Packet*> to_switch;
  ports::CoreRings<Packet*> to_hosts;
  std::atomic<std::size_t> workers_left = 0;
};

struct Host {
  HostId id = 0;
  std::unique_ptr<processes::ProcessTraining> training;  // null unless a worker, like transport
  std::unique_ptr<WorkerTransport> transport;
  std::unique_ptr<ParameterServer> server;
  bool done = false;

  void receive(Frame&& frame, Time now) {
    if (server) return server->receive(std::move(frame), now);
    transport->receive(frame, now);
  }
  bool next(Frame& out, Time now) { return server ? server->next(out) : transport->next(out, now); }
  void expire(Time now) {
    if (server && server->deadline() <= now) server->expire(now);
    if (transport && transport->deadline() <= now) transport->expire(now);
    if (training) training->advance(now);
  }
};

/// The work of one thread.
class Core {
 public:
  Core(unsigned core, unsigned cores, const Spec& cluster, Wires& wires)
      : core_(core),
        cores_(cores),
        format_(cluster.format()),
        wires_(wires),
        values_(cluster.values_per_packet()) {
    for (std::size_t job = 0; job < cluster.jobs.size(); ++job) {
      add_workers(cluster, static_cast<JobId>(job));
      if (!cluster.has_servers()) continue;
      const HostId server = cluster.jobs[job].servers.front();
      all_.push_back(server);
      if (server % cores_ != core_) continue;
      hosts_.push_back({server, nullptr, nullptr,
                        processes::make_server(cluster, {static_cast<JobId>(job), 0}, values_)});
    }
  }

  /// Takes the part of the switch for this core. Its queues may hold values of this thread.
  void take_part(std::unique_ptr<SoftwareSwitch> part) { part_ = std::move(part); }

  void run(std::chrono::steady_clock::time_point begin) {
    const auto end = begin + kPatience;
    for (auto clock = begin; wires_.workers_left != 0 && clock < end;
         clock = std::chrono::steady_clock::now()) {
      step(clock - begin);
      std::this_thread::yield();  // there may be fewer processors than threads
    }
  }

  const SoftwareSwitch& part() const { return *part_; }
  std::uint64_t handed_on() const { return handed_on_; }

  void discard_what_is_left() {
    for (auto* rings : {&wires_.to_switch, &wires_.to_hosts}) {
      const auto discard = [](Packet** packets, std::size_t count) {
        std::for_each_n(packets, count, [](Packet* packet) { delete packet; });
      };
      while (rings->collect(core_, discard) != 0) continue;
    }
  }

 private:
  void add_workers(const Spec& cluster, JobId job) {
    const cluster::JobSpec& of = cluster.jobs[job];
    for (std::size_t rank = 0; rank < of.workers.size(); ++rank) {
      all_.push_back(of.workers[rank]);
      if (of.workers[rank] % cores_ != core_) continue;
      const processes::WorkerId self{job, static_cast<std::uint16_t>(rank)};
      Host host;
      host.id = of.workers[rank];
      host.training = std::make_unique<processes::ProcessTraining>(cluster, self);
      host.transport = processes::make_transport(cluster, self, values_, host.training->sink());
      host.training->begin(*host.transport);
      hosts_.push_back(std::move(host));
      ++wires_.workers_left;
    }
  }

  void step(Time now) {
    for (Host& host : hosts_) send_of(host, now);
    flush(wires_.to_switch);
    collect(wires_.to_switch, [&](const Packet& packet) { arrive(packet, now); });
    if (part_->deadline() <= now) part_->expire(now);
    for (const HostId host : all_) {
      for (Frame frame; part_->next(host, frame);) send_to(host, frame);
      flush(wires_.to_hosts);
    }
    collect(wires_.to_hosts, [&](const Packet& packet) { deliver(packet, now); });
  }

  void send_of(Host& host, Time now) {
    host.expire(now);
    if (host.training && host.training->done() && !host.done) {
      host.done = true;
      --wires_.workers_left;
    }
    Frame frame;
    for (int burst = 0; burst < 32 && host.next(frame, now); ++burst) {
      auto packet = packet_of(frame, host.id);
      const auto aggregator = wire::aggregator_in(format_, packet->bytes);
      const unsigned owner = aggregator ? wire::core_of(*aggregator, cores_) : core_;
      if (owner == core_) {
        arrive(*packet, now);
      } else {
        ++handed_on_;
        wires_.to_switch.put(core_, owner, packet.release());
      }
    }
  }

  std::unique_ptr<Packet> packet_of(const Frame& frame, HostId host) const {
    auto packet = std::make_unique<Packet>();
    packet->host = host;
    packet->bytes.resize(frame.bytes);
    wire::encode(format_, frame, packet->bytes);
    return packet;
  }

  void arrive(const Packet& packet, Time now) {
    part_->receive(*wire::decode(format_, packet.bytes, values_), packet.host, now);
  }

  void send_to(HostId host, const Frame& frame) {
    auto packet = packet_of(frame, host);
    const unsigned home = host % cores_;
    if (home == core_) {
      own_.push_back(std::move(packet));
    } else {
      wires_.to_hosts.put(core_, home, packet.release());
    }
  }

  void deliver(const Packet& packet, Time now) {
    const auto host = std::ranges::find(hosts_, packet.host, &Host::id);
    host->receive(*wire::decode(format_, packet.bytes, values_), now);
  }

  void flush(ports::CoreRings<Packet*>& rings) {
    rings.flush(core_, [](Packet* packet) { delete packet; });
  }

  template <class Take>
  void collect(ports::CoreRings<Packet*>& rings, Take&& take) {
    for (; &rings == &wires_.to_hosts && !own_.empty(); own_.pop_front()) take(*own_.front());
    rings.collect(core_, [&](Packet** packets, std::size_t count) {
      std::for_each_n(packets, count, [&](Packet* packet) {
        take(*packet);
        delete packet;
      });
    });
  }

  unsigned core_;
  unsigned cores_;
  wire::Format format_;
  Wires& wires_;
  ValuePool values_;
  std::unique_ptr<SoftwareSwitch> part_;
  std::vector<Host> hosts_;  // hosts that this thread runs
  std::vector<HostId> all_;
  std::deque<std::unique_ptr<Packet>> own_;  // packets to hosts of this thread
  std::uint64_t handed_on_ = 0;
};

/// Totals of all parts of a switch at the end of a run.
struct Outcome {
  std::size_t workers_left = 0;
  std::uint64_t cells_in_use = 0;
  std::uint64_t lost_of_host0 = 0;
  std::uint64_t allocated = 0;
  std::vector<std::uint64_t> allocated_by_core;
  std::uint64_t handed_on = 0;
};

Outcome outcome_of(const Spec& cluster, const Wires& wires,
                   const std::vector<std::unique_ptr<Core>>& cores) {
  Outcome outcome;
  outcome.workers_left = wires.workers_left;
  for (const auto& core : cores) {
    const SoftwareSwitch& part = core->part();
    outcome.cells_in_use += part.program().cells_in_use();
    outcome.lost_of_host0 += part.counters(0, Direction::to_switch).lost;
    std::uint64_t allocated = 0;
    for (const cluster::JobSpec& job : cluster.jobs) {
      allocated += part.program().counters(job.id)[programs::AggregatorEvent::allocated];
    }
    outcome.allocated_by_core.push_back(allocated);
    outcome.handed_on += core->handed_on();
  }
  return outcome;
}

/// Workers verify their sums. A wrong sum ends the program.
Outcome run(const std::string& system, unsigned count, const json& faults = json::array()) {
  const json file = cluster_json(system, faults);
  const Spec cluster = cluster::read_spec(file, "cluster", systems::all_settings());
  std::vector<Peer> peers;  // port numbers equal host numbers
  for (HostId host = 0; host < kFirstServer + 2; ++host) peers.push_back(Peer::host(host));
  SwitchParts parts =
      make_switch(cluster, systems::half_on_switches(*cluster.system), 0, peers, count);
  Wires wires(count);
  std::vector<std::unique_ptr<Core>> cores;
  for (unsigned core = 0; core < count; ++core) {
    cores.push_back(std::make_unique<Core>(core, count, cluster, wires));
    cores.back()->take_part(std::move(parts[core]));
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (const auto& core : cores) threads.emplace_back([&core, begin] { core->run(begin); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& core : cores) core->discard_what_is_left();
  return outcome_of(cluster, wires, cores);
}

class SwitchOnThreads : public ::testing::TestWithParam<const char*> {};

TEST_P(SwitchOnThreads, DeliversEverySumExactly) {
  for (const unsigned cores : {1U, 2U, 3U}) {
    SCOPED_TRACE(cores);
    const Outcome outcome = run(GetParam(), cores);
    EXPECT_EQ(outcome.workers_left, 0U);
    EXPECT_EQ(outcome.cells_in_use, 0U);
    if (std::string_view(GetParam()) == "ps") continue;  // it has no aggregators
    EXPECT_EQ(outcome.handed_on != 0, cores > 1);
    EXPECT_THAT(outcome.allocated_by_core, ::testing::Each(::testing::Gt(100U)));
  }
}

/// Each frame of the link has one number and is lost once, whichever threads receive the frames.
TEST_P(SwitchOnThreads, LosesTheFramesOfALinkByTheirNumbers) {
  const json lost = json::parse(R"([{
    "host": 0, "direction": "to_switch", "frames": ["gradient"], "from": "0s", "until": "864000s",
    "lost_frames": [0, 3, 4, 50, 51, 52, 53, 300], "loss": 0,
    "burst": {"start": 0, "mean_duration": "0s", "end": 1, "loss": 1}, "corruption": 0,
    "duplication": 0, "reordering": 0, "reordering_delay": "0s", "seed": 1}])");
  const Outcome outcome = run(GetParam(), 3, lost);
  EXPECT_EQ(outcome.workers_left, 0U);
  EXPECT_EQ(outcome.lost_of_host0, 8U);
}

INSTANTIATE_TEST_SUITE_P(Systems, SwitchOnThreads,
                         ::testing::Values("switchml", "atp", "dsa", "ps"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Occupancy, NeverGoesBeyondItsLimitAndComesBackToNothing) {
  constexpr std::uint64_t kLimit = 1000;
  constexpr std::uint64_t kBytes = 300;
  Occupancy occupancy(false);
  std::atomic<std::uint64_t> held = 0;  // at most what `occupancy` holds at any time
  std::atomic<bool> beyond = false;
  constexpr int kThreads = 4;
  std::latch all_there(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      all_there.arrive_and_wait();
      for (int i = 0; i < 1'000'000; ++i) {
        if (!occupancy.add_within(kLimit, kBytes)) continue;
        if (held.fetch_add(kBytes) + kBytes > kLimit) beyond = true;
        held.fetch_sub(kBytes);
        occupancy.remove(kBytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(beyond);
  EXPECT_EQ(occupancy.bytes(), 0U);
}

}  // namespace
}  // namespace ina::software
