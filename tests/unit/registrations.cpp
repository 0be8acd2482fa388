// SPDX-License-Identifier: BSD-3-Clause
// Two software switches, a server and four workers that register sessions. Workers 0 and 1 are in
// the first rack, the others and the server are at the root.
#include "switch-models/software/registrations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/processes/cluster_file.hpp"
#include "hw/protocol/registration/member.hpp"
#include "switch-models/software/switch_file.hpp"
#include "switch-models/systems/all.hpp"

namespace ina::software {
namespace {

using registration::IdPool;
using registration::ServerMembership;
using registration::WorkerMembership;
using ::testing::HasSubstr;
using State = WorkerMembership::State;
using wire::RegistrationKind;
using wire::RegistrationMessage;
using json = fields::Json;

constexpr Time kMs = std::chrono::milliseconds(1);
constexpr HostId kServer = 4;
constexpr std::uint16_t kWorkers = 4;

json file_of(const std::string& system) {
  json file = json::parse(R"({
    "format": 9,
    "settings": {"initial_window_packets": 60, "max_window_packets": 60, "min_rto": "20ms"},
    "environment": {"aggregators": 100, "hash": "crc32", "line_rate": "1Gbps", "slowest_rate": "1Gbps",
                    "framing_bytes": 0, "to_switch_and_back": "5us", "to_server_and_back": "10us",
                    "ecn_threshold_bytes": "60kB", "seed": 1},
    "switch": {"buffer_bytes": 16000000}, "loses_jobs_with_switch": false,
    "topology": {"switches": [{"name": "rack0", "height": 0}, {"name": "rack1", "height": 0}],
                 "trunks": [{"lower": 0, "upper": 1}], "hosts": [0, 0, 1, 1, 1],
                 "parameter_servers": 1, "root": "server_leaf"},
    "jobs": [{
      "profile": "one-layer", "workers": [0, 1, 2, 3], "servers": [4], "seed": 1, "iterations": 1,
      "start_ps": 0, "compute_time_factors": [],
      "jitter": {"low_ps": 0, "high_ps": 0, "per": "partition", "first_stream": 1},
      "layers": [{"parameters": 62, "forward_ps": 0, "backward_ps": 0}],
      "partitions": [{"layer": 0, "fragments": 1}], "exposed_partitions": 0}],
    "faults": [], "node_faults": []
  })");
  file["system"] = system;
  return file;
}

cluster::Spec read(const json& file) {
  return cluster::read_spec(file, "cluster.json", systems::all_settings());
}

/// A switch with its registrations and the peers at its ports.
struct Switch {
  Switch(const cluster::Spec& cluster, cluster::SwitchIndex at, std::vector<Peer> all)
      : peers(std::move(all)),
        parts(make_switch(cluster, systems::half_on_switches(*cluster.system), at, peers, 1)),
        orders(1, {cluster.jobs.front().id}),
        cluster_(cluster),
        at_(at) {
    start_again();
  }
  /// Forgets all registrations.
  void start_again() { registrations.emplace(cluster_, at_, peers, *parts.front(), orders); }

  std::vector<Peer> peers;
  SwitchParts parts;
  Orders orders;
  std::optional<Registrations> registrations;

 private:
  const cluster::Spec& cluster_;
  cluster::SwitchIndex at_;
};

/// A cluster in which messages take no time.
class Cluster {
 public:
  explicit Cluster(const std::string& system)
      : spec(read(file_of(system))),
        leaf(spec, 0, {Peer::host(0), Peer::host(1), Peer::of_switch(1)}),
        root(spec, 1, {Peer::of_switch(0), Peer::host(2), Peer::host(3), Peer::host(kServer)}),
        server(server_config()) {
    for (std::uint16_t rank = 0; rank < kWorkers; ++rank) workers.push_back(process(rank));
  }

  ServerMembership::Config server_config() const {
    return {.index = 0, .host = kServer, .ids = IdPool(0, 1), .cluster = spec.checksum};
  }
  WorkerMembership process(std::uint16_t rank) {
    return WorkerMembership({.rank = rank,
                             .workers = kWorkers,
                             .host = rank,
                             .system = spec.system_number(),
                             .name_of_system = cluster::name_of_number,
                             .values_per_packet = 62,
                             .cluster = spec.checksum,
                             .incarnation = ++incarnations});
  }
  void start_again(std::uint16_t rank) { workers[rank] = process(rank); }

  /// Runs 400 steps in which only the workers of `ranks` send.
  void run(const std::vector<std::uint16_t>& ranks) {
    for (int step = 0; step < 400; ++step) {
      now += kMs;
      for (const std::uint16_t rank : ranks) {
        if (const auto message = workers[rank].next(now)) from_host(rank, *message);
      }
      if (const auto message = server.next()) from_host(kServer, *message);
    }
  }
  void run() { run({0, 1, 2, 3}); }

  /// Sends a message from a host's own port, whatever its content.
  void from_host(HostId host, const RegistrationMessage& message) {
    Switch& at = host < 2 ? leaf : root;
    const auto port = std::ranges::find(at.peers, Peer::host(host)) - at.peers.begin();
    at.registrations->receive(message, static_cast<PortIndex>(port), now);
    deliver(at);
  }

  void deliver(Switch& from) {
    for (const auto& [port, message] : from.registrations->take_outgoing()) {
      const Peer peer = from.peers[port];
      if (peer.is_switch) {
        Switch& to = &from == &leaf ? root : leaf;
        const auto own = Peer::of_switch(&from == &leaf ? 0 : 1);
        const auto ingress = std::ranges::find(to.peers, own) - to.peers.begin();
        to.registrations->receive(message, static_cast<PortIndex>(ingress), now);
        deliver(to);
      } else if (peer.number == kServer) {
        server.receive(message);
      } else {
        workers[peer.number].receive(message, now);
      }
    }
  }

  std::optional<JobId> common_id() const {
    for (const WorkerMembership& worker : workers) {
      if (worker.state() != State::in_session || worker.id() != workers.front().id()) return {};
    }
    return workers.front().id();
  }

  cluster::Spec spec;
  Switch leaf;
  Switch root;
  ServerMembership server;
  std::vector<WorkerMembership> workers;
  std::uint64_t incarnations = 0;
  Time now{};
};

constexpr std::uint16_t kJobs = 1;

/// Whether the switch knows a session with this id.
bool knows(const Switch& one, JobId id) { return one.orders.ids().front().contains(id); }

TEST(Registrations, GiveEachProgramAnIdThatAllSwitchesAndServersKnow) {
  for (const char* const system : {"atp", "dsa"}) {
    Cluster cluster(system);
    cluster.run();
    ASSERT_TRUE(cluster.common_id());
    JobId id = *cluster.common_id();
    for (int session = 0; session < 4; ++session, id = IdPool(0, kJobs).after(id)) {
      cluster.run();
      ASSERT_EQ(cluster.common_id(), id) << system;
      EXPECT_EQ(cluster.server.id(), id);
      EXPECT_TRUE(knows(cluster.leaf, id));
      EXPECT_TRUE(knows(cluster.root, id));
      for (std::uint16_t rank = 0; rank < kWorkers; ++rank) cluster.start_again(rank);
    }
  }
}

TEST(Registrations, WhereSwitchesOnlyForwardKeepEveryIdInstalled) {
  Cluster cluster("ps");
  cluster.run();
  const JobId first = cluster.common_id().value();
  for (std::uint16_t rank = 0; rank < kWorkers; ++rank) cluster.start_again(rank);
  cluster.run();
  EXPECT_EQ(cluster.common_id(), IdPool(0, kJobs).after(first));
  EXPECT_EQ(cluster.server.id(), cluster.common_id());
  EXPECT_THAT(cluster.leaf.orders.ids().front(),
              ::testing::ElementsAre(cluster.spec.jobs.front().id));
}

TEST(Registrations, NameTheWorkersThatAreMissing) {
  Cluster cluster("atp");
  cluster.run({0, 2});
  EXPECT_EQ(cluster.workers[0].why(), "waiting for ranks 1, 3");
  cluster.run({0, 1, 2});
  EXPECT_EQ(cluster.workers[1].why(), "waiting for rank 3");
}

TEST(Registrations, OfAWorkerThatComesBackAloneEndTheSessionOfTheOthers) {
  Cluster cluster("atp");
  cluster.run();
  const JobId first = cluster.common_id().value();
  cluster.start_again(3);
  cluster.run();
  EXPECT_EQ(cluster.workers[3].why(), "waiting for ranks 0, 1, 2");
  for (std::uint16_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(cluster.workers[rank].state(), State::over) << rank;
    EXPECT_EQ(cluster.workers[rank].why(), "rank 3 started again, which ended the session");
    cluster.start_again(rank);
  }
  cluster.run();
  EXPECT_EQ(cluster.common_id(), IdPool(0, kJobs).after(first));
}

TEST(Registrations, TellAWorkerThatItsLinkIsAnotherHosts) {
  Cluster cluster("atp");
  cluster.from_host(1, *cluster.workers[0].next(kMs));
  EXPECT_EQ(cluster.workers[1].state(), State::joining);  // the answer names worker 0
  RegistrationMessage join = *cluster.workers[2].next(kMs);
  cluster.from_host(3, join);
  cluster.workers[3] = cluster.workers[2];  // worker 2 now listens at worker 3's port
  cluster.from_host(3, join);
  EXPECT_EQ(cluster.workers[3].state(), State::refused);
  EXPECT_THAT(cluster.workers[3].why(), HasSubstr("found the link of host 3; allowed: the link"));
}

TEST(Registrations, RefuseAnotherClusterFile) {
  Cluster cluster("atp");
  auto config = cluster.workers[0].config();
  config.values_per_packet = 32;
  config.cluster = 0xab;
  cluster.workers[0] = WorkerMembership(config);
  cluster.run();
  EXPECT_EQ(cluster.workers[0].state(), State::refused);
  EXPECT_THAT(cluster.workers[0].why(),
              HasSubstr("32 values per packet; allowed by the "
                        "switch's file: atp, 4 workers, 62 values per packet"));
}

TEST(Registrations, RefuseTheFirstOfTwoProcessesOfAWorker) {
  Cluster cluster("atp");
  cluster.run({0, 1});
  const WorkerMembership first = cluster.workers[0];
  cluster.start_again(0);
  cluster.run({0, 1});
  cluster.workers[0] = first;
  cluster.run({0, 1});
  EXPECT_EQ(cluster.workers[0].state(), State::refused);
  EXPECT_THAT(cluster.workers[0].why(), HasSubstr("another process joined as rank 0"));
}

TEST(Registrations, TellAProcessThatAnotherOneTookItsPlace) {
  Cluster cluster("atp");
  cluster.run();
  const WorkerMembership first = cluster.workers[0];
  cluster.start_again(0);
  cluster.run({0});
  WorkerMembership second = cluster.workers[0];
  cluster.workers[0] = first;  // both listen at the same port
  cluster.now += 1000 * kMs;
  cluster.from_host(0, *second.next(cluster.now));
  EXPECT_EQ(cluster.workers[0].why(), "another process joined as rank 0, which ended the session");
}

TEST(Registrations, OfMoreJobsThanIdsAllowFailAtTheSecondSession) {
  registration::Registrar registrar(
      {.job = 0, .ids = IdPool(0, 100), .workers = {0}, .servers = {}});
  const auto join = [&](std::uint64_t incarnation) {
    WorkerMembership worker({.rank = 0, .workers = 1, .host = 0, .incarnation = incarnation});
    for (Time now = kMs; now < 1000 * kMs; now += kMs) {
      const auto message = worker.next(now);
      if (!message) continue;
      registration::Messages answers;
      registrar.receive(*message, now, answers);
      for (const RegistrationMessage& answer : answers) worker.receive(answer, now);
    }
    return worker;
  };
  EXPECT_EQ(join(1).state(), State::in_session);
  const WorkerMembership second = join(2);
  EXPECT_EQ(second.state(), State::refused);
  EXPECT_THAT(second.why(), HasSubstr("found no free id"));
}

TEST(Registrations, AreOfMembersAlone) {
  Cluster cluster("atp");
  cluster.run();
  const JobId first = cluster.common_id().value();
  RegistrationMessage forged = *cluster.process(1).next(kMs);
  for (const HostId host : {HostId{0}, HostId{2}, kServer}) cluster.from_host(host, forged);
  for (const RegistrationKind kind :
       {RegistrationKind::announce, RegistrationKind::welcome, RegistrationKind::ended}) {
    forged.kind = kind;
    forged.id = IdPool(0, kJobs).after(first);
    forged.source = 1;
    cluster.from_host(1, forged);
  }
  cluster.run();
  EXPECT_EQ(cluster.common_id(), first);
  EXPECT_EQ(cluster.server.id(), first);
  EXPECT_FALSE(knows(cluster.leaf, forged.id));
}

/// The kind of a message decides which members its number refers to, not its other fields.
TEST(Registrations, OfMembersThatTheJobDoesNotHaveChangeNothing) {
  Cluster cluster("atp");
  RegistrationMessage ready;
  ready.kind = RegistrationKind::ready;
  ready.member = ready.source = 3;  // would be a worker; there is only one server
  cluster.from_host(3, ready);
  RegistrationMessage join = *cluster.process(0).next(kMs);
  join.of_servers = true;
  join.source = kServer;  // server 0 claims to be worker 0
  cluster.from_host(kServer, join);
  EXPECT_THAT(cluster.root.registrations->take_outgoing(), ::testing::IsEmpty());
  cluster.run({1, 2, 3});
  EXPECT_EQ(cluster.workers[1].why(), "waiting for rank 0");
}

TEST(Registrations, OfARootThatForgotEverythingGoOnBehindTheIdsOfTheOthers) {
  Cluster cluster("atp");
  cluster.run();
  const JobId first = cluster.common_id().value();
  cluster.root.start_again();
  cluster.run();
  EXPECT_EQ(cluster.workers[2].why(), "the switch no longer knows this session");
  for (std::uint16_t rank = 0; rank < kWorkers; ++rank) cluster.start_again(rank);
  cluster.run();
  EXPECT_EQ(cluster.common_id(), IdPool(0, kJobs).after(first));
}

/// The session cannot continue without the state that the leaf lost.
TEST(Registrations, OfALeafThatForgotEverythingEndTheSessionOfItsWorkers) {
  Cluster cluster("atp");
  cluster.run();
  const JobId first = cluster.common_id().value();
  cluster.leaf.start_again();
  cluster.run();
  EXPECT_EQ(cluster.workers[0].why(), "the switch no longer knows this session");
  for (std::uint16_t rank = 0; rank < kWorkers; ++rank) cluster.start_again(rank);
  cluster.run();
  EXPECT_EQ(cluster.common_id(), IdPool(0, kJobs).after(first));
}

TEST(Registrations, GiveTheFirstSessionAnIdThatWorkersWithoutRegistrationDoNotUse) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    Cluster cluster("atp");
    cluster.run();
    EXPECT_NE(cluster.common_id().value(), cluster.spec.jobs.front().id);
  }
}

TEST(Registrations, RefuseARankThatTheSwitchDoesNotHave) {
  Cluster cluster("atp");
  auto config = cluster.workers[0].config();
  config.rank = kWorkers;
  config.workers = kWorkers + 1;
  cluster.workers[0] = WorkerMembership(config);
  cluster.from_host(0, *cluster.workers[0].next(kMs));
  EXPECT_THAT(cluster.workers[0].why(), HasSubstr("5 workers, 62 values per packet; allowed by"));
}

TEST(Registrations, RefuseMembersWhoseClusterFileDiffersInAnyKey) {
  Cluster cluster("atp");
  auto of_worker = cluster.workers[0].config();
  auto of_server = cluster.server_config();
  of_worker.cluster = of_server.cluster = 0xab;
  cluster.workers[0] = WorkerMembership(of_worker);
  cluster.server = ServerMembership(of_server);
  cluster.server.ask(kMs);
  cluster.run();
  EXPECT_EQ(cluster.common_id(), std::nullopt);
  const auto words =
      HasSubstr("found a cluster file with the checksum 000000ab; allowed: that of the");
  EXPECT_THAT(cluster.workers[0].why(), words);
  EXPECT_THAT(cluster.server.refusal().value_or(""), words);
}

TEST(Registrations, TellAServerThatItsLinkIsThatOfAnotherHost) {
  Cluster cluster("atp");
  cluster.server.ask(kMs);
  const RegistrationMessage ready = *cluster.server.next();
  constexpr PortIndex kOfHost3 = 2;
  cluster.root.registrations->receive(ready, kOfHost3, cluster.now);
  const auto answers = cluster.root.registrations->take_outgoing();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers.front().port, kOfHost3);
  cluster.server.receive(answers.front().message);
  EXPECT_EQ(cluster.server.refusal(), "found the link of host 3; allowed: the link of host 4");
}

TEST(Spec, HasAChecksumThatEachValueOfItsFileChangesAndSpacesDoNot) {
  const json file = file_of("atp");
  const std::uint32_t checksum = read(file).checksum;
  EXPECT_EQ(read(json::parse(file.dump(4))).checksum, checksum);
  json other = file;
  other["environment"]["ecn_threshold_bytes"] = "61kB";
  EXPECT_NE(read(other).checksum, checksum);
}

TEST(Registrations, ThatNobodyAnswersEndTheSession) {
  for (const bool joins_again : {false, true}) {
    Cluster cluster("atp");
    cluster.run();
    WorkerMembership worker = cluster.workers[0];
    if (joins_again) {
      auto config = worker.config();
      config.continues = true;
      worker = WorkerMembership(config);
    }
    const Time began = cluster.now;
    while (worker.state() == State::in_session || worker.state() == State::joining) {
      cluster.now += kMs;
      worker.next(cluster.now);
      ASSERT_LT(cluster.now - began, 2 * registration::kSilenceLimit);
    }
    EXPECT_GE(cluster.now - began, registration::kSilenceLimit);
    EXPECT_EQ(worker.why(), "the switch no longer answers");
  }
}

TEST(IdPool, SharesTheIdsAmongJobs) {
  std::vector<int> owners(wire::kMaxJobs, -1);
  constexpr std::uint16_t kMany = 7;
  for (std::uint16_t job = 0; job < kMany; ++job) {
    const IdPool ids(job, kMany);
    const IdPool others(static_cast<std::uint16_t>((job + 1) % kMany), kMany);
    for (std::uint16_t position = 0; position < ids.count(); ++position) {
      ASSERT_EQ(owners[ids.at(position)], -1);
      owners[ids.at(position)] = job;
      EXPECT_TRUE(ids.contains(ids.at(position)));
      EXPECT_FALSE(others.contains(ids.at(position)));
    }
  }
}

TEST(IdPool, KnowsWhichOfTwoIdsIsLaterAlsoWhenTheyComeRoundAgain) {
  const IdPool ids(1, 60);  // four ids
  JobId id = wire::kNoId;
  for (int session = 0; session < 20; ++session) {
    const JobId next = ids.after(id);
    EXPECT_TRUE(ids.is_later(next, id));
    EXPECT_FALSE(ids.is_later(id, next));
    EXPECT_FALSE(ids.is_later(next, next));
    id = next;
  }
}

}  // namespace
}  // namespace ina::software
