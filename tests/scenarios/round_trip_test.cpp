// SPDX-License-Identifier: BSD-3-Clause
// Reading what to_json() writes gives the same scenario.
#include <gtest/gtest.h>

#include <random>

#include "scenario_files.hpp"
#include "scenarios/reader/scenario_sizes.hpp"

namespace ina::test {
namespace {

ina::scenarios::Scenario reread(const ScenarioFolder& folder,
                                const ina::scenarios::Scenario& scenario) {
  const auto experiment = ina::scenarios::read_experiment(
      folder.write("reread.json", ina::scenarios::to_json(scenario).dump(1)));
  EXPECT_EQ(experiment.points.size(), 1U);
  return experiment.points.front().with_seed();
}

TEST(RoundTrip, GoodFiles) {
  const ScenarioFolder folder;
  const auto files = json_files(kTests / "good");
  EXPECT_GE(files.size(), 8U);
  for (const auto& file : files) {
    for (const auto& point : ina::scenarios::read_experiment(file).points) {
      EXPECT_EQ(reread(folder, point.with_seed()), point.with_seed()) << file;
    }
  }
}

/// Random scenarios that fit together.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  ina::scenarios::Scenario scenario() {
    ina::scenarios::Scenario s;
    s.name = "random" + std::to_string(number(0, 9));
    s.description = "quotes \" and \\ and ä";
    s.system = static_cast<ina::scenarios::System>(number(0, 2));
    s.topology.hosts = number<std::uint32_t>(64, 8192);
    s.topology.parameter_servers = number<std::uint32_t>(8, 256);
    s.topology.link = {number<std::uint64_t>(1'000'000, 100'000'000'000'000), time(),
                       number<std::uint32_t>(0, 256)};
    s.switch_ = {number<std::uint64_t>(10'000'000, 10'000'000'000),
                 static_cast<ina::wire::Hash>(number(1, 5)),
                 bytes(),
                 bytes(),
                 time(),
                 time(),
                 number<std::uint64_t>(1'000'000, 100'000'000'000'000)};
    s.switchml.values_per_packet = 32;
    if (flip()) {
      s.switchml.rto_ps = time();
    } else {
      s.switchml.rto_ps.reset();
    }
    s.switchml.min_rto_ps = time();
    s.switchml.congestion_control = flip();
    s.switchml.quantisation = static_cast<ina::scenarios::Quantisation>(number(0, 1));
    if (s.system == ina::scenarios::System::switchml) {
      s.switchml.slots = number<std::uint32_t>(1, 1000);
    }
    s.atp = {number<std::uint32_t>(1, 500),
             number<std::uint32_t>(500, 1'000'000),
             time(),
             flip(),
             addressing(),
             flip(),
             number<std::uint32_t>(1, 1'000'000),
             number<std::uint32_t>(1, 1'000'000),
             time(),
             time()};
    s.dsa = {policy(),
             7,
             0,
             time(),
             time(),
             flip(),
             time(),
             static_cast<ina::RemainingTime>(number(0, 1)),
             static_cast<ina::programs::JoinPriority>(number(0, 1)),
             addressing(),
             number<std::uint32_t>(1, 1'000'000)};
    s.payload = static_cast<ina::scenarios::Payload>(number(0, 2));
    s.engine = static_cast<ina::scenarios::Engine>(number(0, 1));
    s.seed = number<std::uint64_t>(1, 4'294'967'295);
    s.time_limit_ps = ina::scenarios::kMaxTimePs - time();  // what they compute is below
    s.faults.links.resize(number<std::size_t>(0, 3));
    for (auto& link : s.faults.links) link = faults();
    s.faults.nodes.resize(number<std::size_t>(0, 3));
    s.outputs = {number<std::int64_t>(1'000'000, 1'000'000'000'000), flip()};
    s.jobs.resize(number<std::size_t>(1, 8));
    for (auto& one : s.jobs) {
      one = job();
    }
    for (auto& fault : s.faults.nodes) fault = node_fault(s);
    return s;
  }

 private:
  ina::scenarios::CollisionPolicy policy() {
    const auto all = ina::policies::every_policy();
    auto policy = all[number<std::size_t>(0, all.size() - 1)];
    ina::policies::for_each_parameter(policy, [&](const auto& parameter, std::int64_t& value) {
      value = number<std::int64_t>(parameter.low, parameter.high);
    });
    return policy;
  }
  ina::scenarios::AddressingScheme addressing() {
    return static_cast<ina::scenarios::AddressingScheme>(number(0, 2));
  }
  template <typename T>
  T number(T low, T high) {
    return std::uniform_int_distribution<T>(low, high)(random_);
  }
  bool flip() { return number(0, 1) == 1; }
  std::int64_t time() {
    return 1'000'000 + number<std::int64_t>(0, 999'000'000'000) / number(1, 100'000);
  }
  std::uint64_t bytes() { return number<std::uint64_t>(1'000, 100'000'000'000); }
  ina::scenarios::TimeRange range() {
    const auto low = time();
    return {low, flip() ? low : low + time()};
  }

  double probability() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  ina::scenarios::LinkFaultsScenario faults() {
    ina::scenarios::LinkFaultsScenario f;
    f.link = flip() ? "hosts" : "ps7";
    f.direction = static_cast<ina::scenarios::FaultDirection>(number(0, 2));
    f.frames = static_cast<ina::faults::FrameClasses>(number(1, 127));
    f.from_ps = time();
    f.until_ps = f.from_ps + time();
    for (auto frame = number<std::uint64_t>(0, 9); frame < 30;
         frame += number<std::uint64_t>(1, 20)) {
      f.lost_frames.push_back(frame);
    }
    f.loss = probability();
    f.burst = {probability(), probability(), probability()};
    f.corruption = probability();
    f.duplication = probability();
    f.reordering = probability();
    f.reordering_delay_ps = time();
    return f;
  }

  ina::scenarios::NodeFaultScenario node_fault(const ina::scenarios::Scenario& s) {
    ina::scenarios::NodeFaultScenario f;
    do {
      f.fault = static_cast<ina::faults::NodeFault>(number(0, 6));
    } while (!ina::faults::can_strike(f.fault, ina::scenarios::protocol_of(s)));
    f.at_ps = time();
    if (ina::faults::lasts(f.fault)) f.duration_ps = time();
    if (!ina::faults::strikes_job(f.fault)) return f;
    f.job = number<std::uint32_t>(0, static_cast<std::uint32_t>(s.jobs.size() - 1));
    if (ina::faults::strikes_worker(f.fault)) {
      f.worker = number<std::uint32_t>(0, s.jobs[f.job].workers - 1);
    }
    return f;
  }

  ina::scenarios::JobScenario job() {
    ina::scenarios::JobScenario j;
    j.workers = number<std::uint32_t>(1, 8);
    j.iterations = number<std::uint32_t>(1, 100);
    j.start = range();
    j.jitter = {range(), static_cast<ina::cluster::JitterPer>(number(0, 2))};
    j.profile = profile();
    j.compute_time_factors.resize(number<std::size_t>(0, 3));
    for (auto& worker : j.compute_time_factors) {
      worker.resize(number<std::size_t>(1, 5));
      for (auto& factor : worker) {
        factor = std::uniform_real_distribution<double>(0.001, 1000)(random_);
      }
    }
    return j;
  }

  ina::cluster::ModelProfile profile() {
    ina::cluster::ModelProfile p{
        "model", "a source", {}, number<std::uint64_t>(250, 10'000) * 4, {}};
    p.layers.push_back({"last", 1, 0, 0});
    for (auto layers = number(0, 4); layers > 0; --layers) {
      p.layers.push_back(
          {"l" + std::to_string(layers), number<std::uint64_t>(0, 20'000), time(), time()});
    }
    for (std::uint32_t l = 1; flip() && l <= p.layers.size(); ++l) {
      p.send_order.clear();
      for (std::uint32_t all = 1; all <= p.layers.size(); ++all) {
        const auto count = ina::scenarios::partition_count(p.layers[all - 1], p.partition_bytes);
        for (std::uint32_t part = 1; part <= count; ++part) {
          p.send_order.emplace_back(all, part);
        }
      }
      std::shuffle(p.send_order.begin(), p.send_order.end(), random_);
    }
    return p;
  }

  std::mt19937_64 random_;
};

TEST(RoundTrip, RandomScenarios) {
  const ScenarioFolder folder;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    const auto scenario = Generator(seed).scenario();
    ASSERT_EQ(reread(folder, scenario), scenario) << ina::scenarios::to_json(scenario).dump(1);
  }
}

TEST(RoundTrip, NeedsNoOtherFile) {
  const ScenarioFolder folder;
  const auto file = folder.write(
      "a.json",
      R"({"jobs":{"profile":"tiny","compute_time_factors":"minibatch/two.csv","workers":2}})");
  const auto scenario = ina::scenarios::read_experiment(file).points.front().with_seed();
  setenv("INA_TRACES", "/nonexistent", 1);
  auto again = reread(folder, scenario);
  EXPECT_EQ(again, scenario);
  EXPECT_EQ(again.jobs[0].compute_time_factors,
            (std::vector<std::vector<double>>{{1, 1.1}, {0.9, 2.5, 1}}));
}

}  // namespace
}  // namespace ina::test
