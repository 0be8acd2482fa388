// SPDX-License-Identifier: BSD-3-Clause
// The output of to_json() is read back as the same scenario.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <span>

#include "scenario_files.hpp"
#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/resolved.hpp"
#include "scenarios/resolve/sizes.hpp"

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

/// Visits the settings of a system like ObjectReader, and assigns a random valid value to each.
/// Values are small, so that a run fits into memory.
class RandomFields {
 public:
  explicit RandomFields(std::mt19937_64& random) : random_(random) {}

  template <typename T>
  void integer(std::string_view, T& target, ina::fields::Bounds<T> bounds, std::string_view) {
    target = static_cast<T>(number(bounds.low, bounds.high));
  }
  template <typename T>
  void integer(std::string_view, std::optional<T>& target, ina::fields::Bounds<T> bounds,
               std::string_view) {
    target = static_cast<T>(number(bounds.low, bounds.high));
  }
  template <std::size_t N>
  void one_of(std::string_view, std::uint32_t& target, const std::array<std::uint32_t, N>& allowed,
              std::string_view) {
    target = allowed[number(0, N - 1)];
  }
  void boolean(std::string_view, bool& target, std::string_view) { target = number(0, 1) == 1; }
  void probability(std::string_view, double& target, std::string_view) {
    target = static_cast<double>(number(0, 100)) / 100;
  }
  void time(std::string_view, std::int64_t& target, ina::fields::Bounds<std::int64_t> bounds,
            std::string_view) {
    target = std::uniform_int_distribution(bounds.low, bounds.high)(random_);
  }
  void time(std::string_view key, ina::Time& target, ina::fields::Bounds<std::int64_t> bounds,
            std::string_view) {
    std::int64_t ps = 0;
    time(key, ps, bounds, {});
    target = ina::Time(ps);
  }
  void time(std::string_view key, std::optional<ina::Time>& target,
            ina::fields::Bounds<std::int64_t> bounds, std::string_view) {
    time(key, target.emplace(), bounds, {});
  }
  void time_or(std::string_view, std::string_view key, std::optional<ina::Time>& target,
               bool& is_word, ina::fields::Bounds<std::int64_t> bounds, std::string_view) {
    time(key, target, bounds, {});
    is_word = number(0, 1) == 1;
    if (is_word) target.reset();
  }
  template <typename T>
  void integer_or(std::string_view, std::string_view key, std::optional<T>& target, bool& is_word,
                  ina::fields::Bounds<T> bounds, std::string_view) {
    integer(key, target.emplace(), bounds, {});
    is_word = number(0, 1) == 1;
    if (is_word) target.reset();
  }
  template <typename E, std::size_t N>
  void choice(std::string_view, E& target, const ina::fields::ChoiceNames<E, N>& names,
              std::string_view) {
    target = names[number(0, N - 1)].second;
  }
  template <typename Named, typename Read>
  void named(std::string_view, std::span<const std::string_view> names, Named& target, Read read,
             std::string_view) {
    set_by_index(target, number(0, static_cast<std::int64_t>(names.size()) - 1));
    read(*this);
  }

 private:
  std::size_t number(std::int64_t low, std::int64_t high) {
    constexpr std::int64_t kMost = 500;
    return static_cast<std::size_t>(
        std::uniform_int_distribution(low, std::min(high, std::max(low, kMost)))(random_));
  }

  std::mt19937_64& random_;
};

/// Generates random consistent scenarios.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  ina::scenarios::Scenario scenario() {
    ina::scenarios::Scenario s;
    s.name = "random" + std::to_string(number(0, 9));
    s.description = "quotes \" and \\ and ä";
    s.system =
        static_cast<ina::scenarios::System>(number<std::size_t>(0, ina::systems::kSystems - 1));
    s.topology.hosts = number<std::uint32_t>(64, 8192);
    s.topology.parameter_servers = number<std::uint32_t>(8, 256);
    s.topology.placement = static_cast<ina::scenarios::Placement>(number(0, 1));
    s.topology.link = {number<std::uint64_t>(1'000'000, 100'000'000'000'000), time(),
                       number<std::uint32_t>(0, 256)};
    s.topology.links.resize(number<std::size_t>(0, 3));
    for (auto& link : s.topology.links) link = own_link();
    s.topology.link.delay_spread_ps = number<std::int64_t>(0, s.topology.link.delay_ps);
    s.topology.uplink.delay_spread_ps = number<std::int64_t>(0, s.topology.uplink.delay_ps);
    for (auto* host : {&s.topology.host, &s.topology.server}) *host = host_cost();
    s.switch_ = {number<std::uint64_t>(10'000'000, 10'000'000'000),
                 static_cast<ina::wire::Hash>(number(1, 5)),
                 bytes(),
                 bytes(),
                 time(),
                 time(),
                 number<std::uint64_t>(1'000'000, 100'000'000'000'000)};
    s.payload = static_cast<ina::scenarios::Payload>(number(0, 2));
    ina::systems::for_each_system([&](ina::scenarios::System system) {
      s.systems.with(system, [&](auto& settings) { randomise(settings); });
    });
    if (s.payload == ina::scenarios::Payload::none) s.of<ina::systems::Atp>().overflow_share = 0;
    s.engine = static_cast<ina::scenarios::Engine>(number(0, 1));
    s.seed = number<std::uint64_t>(1, 4'294'967'295);
    s.time_limit_ps =
        ina::scenarios::kMaxTimePs - time();  // leaves room for the computation drawn below
    s.faults.links.resize(number<std::size_t>(0, 3));
    for (auto& link : s.faults.links) link = faults();
    s.faults.nodes.resize(number<std::size_t>(0, 3));
    s.outputs = {number<std::int64_t>(1'000'000, 1'000'000'000'000), flip(), std::nullopt, flip()};
    if (flip()) s.outputs.link_interval_ps = number<std::int64_t>(1'000'000, 1'000'000'000'000);
    s.jobs.resize(number<std::size_t>(1, 8));
    for (auto& one : s.jobs) {
      one = job(s.hosts().traits().sends_among_workers() ? 2 : 1);
      if (flip()) one.hosts = hosts(one.workers);
      if (flip()) one.servers = {flip() ? "ps7" : "host63"};
      if (flip()) one.servers.emplace_back("ps3");
    }
    for (auto& fault : s.faults.nodes) fault = node_fault(s);
    return ina::scenarios::with_sizes(s, ina::scenarios::Network(s.topology, s.seed));
  }

 private:
  template <class Settings>
  void randomise(Settings& settings) {
    do {
      RandomFields fields(random_);
      Settings::visit(fields, settings);
    } while (settings.find_invalid());
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
    f.from = ina::Time(time());
    f.until = f.from + ina::Time(time());
    for (auto frame = number<std::uint64_t>(0, 9); frame < 30;
         frame += number<std::uint64_t>(1, 20)) {
      f.lost_frames.push_back(frame);
    }
    f.loss = probability();
    f.burst = {probability(), {}, probability(), probability()};
    f.corruption = probability();
    f.duplication = probability();
    f.reordering = probability();
    f.reordering_delay = ina::Time(time());
    return f;
  }

  ina::scenarios::NodeFaultScenario node_fault(const ina::scenarios::Scenario& s) {
    ina::scenarios::NodeFaultScenario f;
    do {
      f.fault = static_cast<ina::faults::NodeFault>(number(0, 8));
    } while (ina::faults::strikes_server(f.fault) && !s.hosts().traits().has_servers);
    f.at = ina::Time(time());
    if (ina::faults::lasts(f.fault)) f.duration = ina::Time(time());
    if (f.fault == ina::faults::NodeFault::link_fails) f.link = "host7";
    if (f.fault == ina::faults::NodeFault::switch_fails) f.switch_ = "switch";
    if (!ina::faults::strikes_job(f.fault)) return f;
    f.job = number<std::uint32_t>(0, static_cast<std::uint32_t>(s.jobs.size() - 1));
    if (ina::faults::strikes_server(f.fault)) {
      f.server = static_cast<std::uint16_t>(
          number<std::size_t>(0, ina::scenarios::server_count(s.jobs[f.job]) - 1));
    }
    if (ina::faults::strikes_worker(f.fault)) {
      f.worker = static_cast<std::uint16_t>(number<std::uint32_t>(0, s.jobs[f.job].workers - 1));
    }
    return f;
  }

  std::vector<std::uint32_t> hosts(std::size_t workers) {
    std::vector<std::uint32_t> some(workers);
    for (auto& host : some) host = number<std::uint32_t>(0, 9);
    return some;
  }

  ina::scenarios::JobScenario job(std::uint32_t least_workers) {
    ina::scenarios::JobScenario j;
    j.workers = number<std::uint32_t>(least_workers, 8);
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
    p.exposed = std::uniform_real_distribution<double>(0, 1)(random_);
    return p;
  }

  ina::scenarios::OwnLinkScenario own_link() {
    ina::scenarios::OwnLinkScenario own;
    own.link = flip() ? "hosts" : "ps3";
    if (flip()) own.rate_bps = number<std::uint64_t>(1'000'000, 100'000'000'000'000);
    if (flip()) own.delay_ps = time();
    if (flip()) own.framing_bytes = number<std::uint32_t>(0, 256);
    return own;
  }

  ina::scenarios::HostScenario host_cost() {
    ina::scenarios::HostScenario host;
    if (flip()) return host;
    RandomFields fields(random_);
    ina::scenarios::visit_host(fields, host);
    return host;
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

/// The jobs without the members that only the simulator uses.
std::vector<ina::cluster::JobSpec> as_in_file(const ina::cluster::Spec& spec) {
  std::vector<ina::cluster::JobSpec> jobs = spec.jobs;
  for (ina::cluster::JobSpec& job : jobs) {
    job.training.line_rates_bps = {spec.environment.line_rate_bps};
    job.training.unloaded_path = {};
    for (ina::cluster::LayerProfile& layer : job.training.layers) layer.name.clear();
  }
  return jobs;
}

/// Includes faults of racks. Every worker and server has its own host.
TEST(RoundTrip, ClusterFilesOfRandomScenarios) {
  const auto& settings = ina::systems::all_settings();
  for (unsigned seed = 1; seed <= 200; ++seed) {
    auto scenario = Generator(seed).scenario();
    for (auto& job : scenario.jobs) {
      job.hosts.reset();
      job.servers.clear();
    }
    scenario.topology.racks = 1 + seed % 4;
    // Testbed plans reject host packet times, permanent faults, and switches selected by name.
    scenario.topology.host = scenario.topology.server = {};
    std::erase_if(scenario.faults.nodes,
                  [](const auto& fault) { return ina::faults::is_for_good(fault.fault); });
    for (auto& fault : scenario.faults.nodes) {
      fault.server = 0;
      fault.switch_ = ina::scenarios::kNone;
    }
    for (auto& link : scenario.faults.links) link.link = seed % 2 == 0 ? "all" : "racks";
    const auto spec = ina::scenarios::resolve(scenario).for_processes();
    const auto written = ina::cluster::write_spec(spec, settings);
    const auto again = ina::cluster::read_spec(
        ina::fields::parse_strict_json(written.dump(), "written"), "written", settings);
    SCOPED_TRACE(written.dump(1));
    ASSERT_EQ(again.jobs, as_in_file(spec));
    ASSERT_EQ(again.topology, spec.topology);
    ASSERT_EQ(again.link_faults, spec.link_faults);
    ASSERT_EQ(again.node_faults, spec.node_faults);
    ASSERT_EQ(ina::cluster::write_spec(again, settings), written);
    EXPECT_NO_THROW(ina::cluster::read_spec(written, "hosts", ina::cluster::settings_on_hosts()));
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
