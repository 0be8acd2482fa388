// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/system.hpp"

#include <boost/mp11.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/server/ps_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/peer_worker.hpp"
#include "hw/protocol/transport/ps_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "switch-models/policies/all.hpp"
#include "switch-models/systems/all.hpp"
#include "tests/exploration/program_state.hpp"
#include "tests/exploration/protocol_state.hpp"

namespace ina::exploration {

namespace {

constexpr std::size_t kWidth = 1;  // values of packets that switches only forward

/// The coin-flip policy with both outcomes. The random draws of any seed are among the explored
/// schedules.
class ExploredCoin {
 public:
  static constexpr unsigned kComparisons = policies::CoinFlip::kComparisons;

  explicit ExploredCoin(Coin& coin) : coin_(&coin) {}
  policies::Decision collide(const policies::Collision& collision) {
    coin_->tossed = true;
    if (coin_->heads) return {true, collision.packet_priority};
    return {false, collision.aggregator_priority};
  }

 private:
  Coin* coin_;
};

/// A policy that reads ages is explored with an aggregator that was just used, and with one that
/// has waited for the longest time, because any time may pass between two events of a schedule.
template <class Policy>
class ExploredAge {
 public:
  static constexpr unsigned kComparisons = Policy::kComparisons;
  static constexpr bool kExpires = policies::kExpires<Policy>;

  ExploredAge(Policy policy, Coin& coin) : policy_(policy), coin_(&coin) {}
  policies::Decision collide(const policies::SeenBy<Policy>& collision) {
    coin_->tossed = true;
    policies::SeenBy<Policy> seen = collision;
    seen.age = coin_->heads ? kNever : Time::zero();
    return policy_.collide(seen);
  }

 private:
  Policy policy_;
  Coin* coin_;
};

/// The windows of ATP, DSA and ps are constant, because the number of packets in flight is part of
/// the configuration.
CongestionWindow::Config window_of(const Configuration& configuration) {
  return {configuration.window == 0 ? configuration.psns() : configuration.window, 0, false};
}

wire::AddressingConfig addressing_of(const Configuration& configuration) {
  const bool table = configuration.table != 0;
  return {.aggregators = configuration.aggregators,
          .scheme = table ? wire::AddressingScheme::table : wire::AddressingScheme::hash,
          .rehash = configuration.system == system_called("atp"),
          .table_entries = configuration.table};
}

std::uint32_t kept_of(const Configuration& configuration) {
  return configuration.kept == 0 ? configuration.psns() : configuration.kept;
}

template <class Server>
std::vector<std::uint32_t> table_of(ParameterServer& server) {
  return member<"table_">(member<"naming_">(static_cast<Server&>(server)));
}

template <class Worker, class Program>
class Described : public System {
 public:
  Described(const Configuration& configuration, ValuePool& pool)
      : configuration_(configuration), pool_(pool) {}
  void visit_worker(Archive& archive, WorkerTransport& worker) override {
    visit(archive, static_cast<Worker&>(worker));
  }
  void visit_program(Archive& archive, programs::SwitchProgram& program) override {
    visit(archive, static_cast<Program&>(program));
  }
  void forget_unreadable(programs::SwitchProgram& program, PassingFrames& passing) override {
    if constexpr (requires(const Program& p) { p.task(0); }) {
      exploration::forget_unreadable(static_cast<Program&>(program), passing);
    }
  }
  std::vector<std::uint32_t> table_of_worker(WorkerTransport& worker) const override {
    if constexpr (std::is_base_of_v<HashedWorker, Worker>) {
      return member<"table_">(member<"addressing_">(static_cast<Worker&>(worker)));
    }
    return {};
  }
  std::vector<programs::TaskId> tasks(const programs::SwitchProgram& program) const override {
    std::vector<programs::TaskId> tasks;
    if constexpr (requires(const Program& p) { p.task(0); }) {
      for (std::uint32_t i = 0; i < configuration_.aggregators; ++i) {
        const programs::TaskId& task = static_cast<const Program&>(program).task(i);
        if (task.valid) tasks.push_back(task);
      }
    }
    return tasks;
  }

 protected:
  Configuration configuration_;
  ValuePool& pool_;
};

template <class Mode>
class Switchml final : public Described<SwitchmlWorker, programs::SwitchmlProgram<Mode>> {
 public:
  using Base = Described<SwitchmlWorker, programs::SwitchmlProgram<Mode>>;
  using Base::Base;
  using Base::configuration_;
  using Base::pool_;
  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                               ResultSink& sink) override {
    SwitchmlWorker::Config config{configuration_.aggregators};
    if constexpr (rmt::kIsSeparate<Mode>)
      config.values_per_packet = 2 * programs::kSwitchmlPassValues;
    if (configuration_.window != 0) config.congestion_control = {configuration_.window, 0, true};
    return std::make_unique<SwitchmlWorker>(identity, config, pool_, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity&) override { return nullptr; }
  std::unique_ptr<programs::SwitchProgram> make_program() override {
    return std::make_unique<programs::SwitchmlProgram<Mode>>(
        configuration_.jobs * configuration_.aggregators, configuration_.width());
  }
  void visit_server(Archive&, ParameterServer&) override {}
};

template <class Mode>
class Atp final : public Described<AtpWorker, programs::AtpProgram<Mode>> {
 public:
  using Base = Described<AtpWorker, programs::AtpProgram<Mode>>;
  using Base::Base;
  using Base::configuration_;
  using Base::pool_;
  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                               ResultSink& sink) override {
    return std::make_unique<AtpWorker>(
        identity, AtpWorker::Config{addressing_of(configuration_), window_of(configuration_)},
        pool_, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) override {
    return std::make_unique<AtpServer>(
        identity, AtpServer::Config{addressing_of(configuration_), kept_of(configuration_)});
  }
  std::unique_ptr<programs::SwitchProgram> make_program() override {
    return std::make_unique<programs::AtpProgram<Mode>>(
        programs::AtpConfig{configuration_.aggregators, configuration_.width()});
  }
  void visit_server(Archive& archive, ParameterServer& server) override {
    visit(archive, server);
    visit(archive, member<"naming_">(static_cast<AtpServer&>(server)));
    visit(archive, member<"kept_">(static_cast<AtpServer&>(server)));
    visit(archive, member<"floats_">(static_cast<AtpServer&>(server)));
  }
  std::vector<std::uint32_t> table_of_server(ParameterServer& server) const override {
    return table_of<AtpServer>(server);
  }
};

template <class Policy, class Mode>
class Dsa final : public Described<DsaWorker, programs::DsaProgram<Policy, Mode>> {
 public:
  Dsa(const Configuration& configuration, ValuePool& pool, Policy policy)
      : Base(configuration, pool), policy_(policy) {}

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                               ResultSink& sink) override {
    return std::make_unique<DsaWorker>(
        identity,
        DsaWorker::Config{addressing_of(this->configuration_), window_of(this->configuration_)},
        this->pool_, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) override {
    DsaServer::Config config;
    config.kept_results = kept_of(this->configuration_);
    config.addressing = addressing_of(this->configuration_);
    return std::make_unique<DsaServer>(identity, config, this->pool_);
  }
  std::unique_ptr<programs::SwitchProgram> make_program() override {
    return std::make_unique<programs::DsaProgram<Policy, Mode>>(
        this->configuration_.aggregators, this->configuration_.width(), policy_);
  }
  void visit_server(Archive& archive, ParameterServer& server) override {
    visit(archive, server);
    visit(archive, member<"naming_">(static_cast<DsaServer&>(server)));
    visit(archive, member<"kept_">(static_cast<DsaServer&>(server)));
  }
  std::vector<std::uint32_t> table_of_server(ParameterServer& server) const override {
    return table_of<DsaServer>(server);
  }

 private:
  using Base = Described<DsaWorker, programs::DsaProgram<Policy, Mode>>;
  Policy policy_;
};

/// The plain parameter server. Its switches only forward and have no state.
class Ps final : public System {
 public:
  Ps(const Configuration& configuration, ValuePool& pool) : pool_(pool) {
    settings_.worker.window = window_of(configuration);
    settings_.server.kept_results = kept_of(configuration);
  }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                               ResultSink& sink) override {
    return settings_.make_worker(identity, pool_, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) override {
    return settings_.make_server(identity, pool_);
  }
  std::unique_ptr<programs::SwitchProgram> make_program() override {
    return settings_.make_program({.carried_values = kWidth, .run = {.checked = true}});
  }
  void visit_worker(Archive& archive, WorkerTransport& worker) override {
    visit(archive, static_cast<PsWorker&>(worker));
  }
  void visit_server(Archive& archive, ParameterServer& server) override {
    visit(archive, server);
    visit(archive, member<"kept_">(static_cast<PsServer&>(server)));
  }
  void visit_program(Archive&, programs::SwitchProgram&) override {}
  std::vector<programs::TaskId> tasks(const programs::SwitchProgram&) const override { return {}; }

 private:
  systems::Ps settings_;
  ValuePool& pool_;
};

/// All-reduces among workers. Switches only forward and have no state. The configuration limits the
/// packets in flight and the packets held, per peer.
template <class Settings>
class AmongWorkers final : public System {
 public:
  AmongWorkers(const Configuration& configuration, ValuePool& pool) : pool_(pool) {
    // A flow may carry each fragment twice: as a part and as a result.
    const std::uint32_t all = 2 * configuration.psns();
    settings_.worker.window = {configuration.window == 0 ? all : configuration.window, 0, false};
    settings_.worker.receive_buffer = configuration.kept == 0 ? all : configuration.kept;
    settings_.worker.values_per_packet = kWidth;
  }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                               ResultSink& sink) override {
    return settings_.make_worker(identity, pool_, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity&) override { return nullptr; }
  std::unique_ptr<programs::SwitchProgram> make_program() override {
    return settings_.make_program({.carried_values = kWidth, .run = {.checked = true}});
  }
  std::size_t timers(WorkerTransport& worker) const override {
    return exploration::timers(static_cast<PeerWorker&>(worker));
  }
  void let_fire(WorkerTransport& worker, std::size_t timer, Time now) override {
    exploration::let_fire(static_cast<PeerWorker&>(worker), timer, now);
  }
  void visit_worker(Archive& archive, WorkerTransport& worker) override {
    visit(archive, static_cast<PeerWorker&>(worker));
  }
  void visit_server(Archive&, ParameterServer&) override {}
  void visit_program(Archive&, programs::SwitchProgram&) override {}
  std::vector<programs::TaskId> tasks(const programs::SwitchProgram&) const override { return {}; }

 private:
  Settings settings_;
  ValuePool& pool_;
};

template <class Mode>
std::unique_ptr<System> make_dsa(const Configuration& configuration, ValuePool& pool, Coin& coin) {
  constexpr std::uint64_t kAnySeed = 0;
  return policies::with_policy(
      configuration.policy, kAnySeed, [&]<class Policy>(Policy policy) -> std::unique_ptr<System> {
        if constexpr (policies::kDraws<Policy>) {
          static_assert(std::is_same_v<Policy, policies::CoinFlip>,
                        "a policy that draws needs one like ExploredCoin here, with every outcome");
          return std::make_unique<Dsa<ExploredCoin, Mode>>(configuration, pool, ExploredCoin(coin));
        } else if constexpr (policies::kSees<Policy, policies::Age>) {
          return std::make_unique<Dsa<ExploredAge<Policy>, Mode>>(configuration, pool,
                                                                  ExploredAge(policy, coin));
        } else {
          return std::make_unique<Dsa<Policy, Mode>>(configuration, pool, policy);
        }
      });
}

}  // namespace

std::vector<std::uint32_t> System::table_of_worker(WorkerTransport&) const { return {}; }
std::vector<std::uint32_t> System::table_of_server(ParameterServer&) const { return {}; }

namespace {

/// A system whose switches add. Null: the configuration has another one.
template <class Mode>
std::unique_ptr<System> make_with_switches(const Configuration& configuration, ValuePool& pool,
                                           Coin& coin) {
  switch (configuration.system) {
    case system_called("switchml"):
      return std::make_unique<Switchml<Mode>>(configuration, pool);
    case system_called("atp"):
      return std::make_unique<Atp<Mode>>(configuration, pool);
    case system_called("dsa"):
      return make_dsa<Mode>(configuration, pool, coin);
    default:
      return nullptr;
  }
}

std::unique_ptr<System> make_all_reduce(const Configuration& configuration, ValuePool& pool) {
  std::unique_ptr<System> made;
  boost::mp11::mp_for_each<schedules::All>([&]<class Schedule>(Schedule) {
    using OfSchedule = systems::AllReduce<Schedule>;
    if (cluster::system_called(OfSchedule::kTraits.name) != configuration.system) return;
    made = std::make_unique<AmongWorkers<OfSchedule>>(configuration, pool);
  });
  return made;
}

}  // namespace

std::unique_ptr<System> make_system(const Configuration& configuration, ValuePool& pool,
                                    Coin& coin) {
  auto of_switches = configuration.separates_passes()
                         ? make_with_switches<rmt::CheckedSeparate>(configuration, pool, coin)
                         : make_with_switches<rmt::Checked>(configuration, pool, coin);
  if (of_switches) return of_switches;
  switch (configuration.system) {
    case system_called("ps"):
      return std::make_unique<Ps>(configuration, pool);
    default:
      if (auto all_reduce = make_all_reduce(configuration, pool)) return all_reduce;
      throw std::invalid_argument("the explorer cannot make the parts of " +
                                  std::string(cluster::name_of(configuration.system)));
  }
}

}  // namespace ina::exploration
