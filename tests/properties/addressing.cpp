// SPDX-License-Identifier: BSD-3-Clause
// Workers of a job use the same aggregators again after any losses, and the tables of several jobs
// become disjoint.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "switch-models/programs/atp.hpp"
#include "tests/support/random.hpp"

namespace ina {
namespace {

using wire::AddressingConfig;
using wire::AddressingScheme;

constexpr JobId kJob = 0;
constexpr HostId kServer = 2;
constexpr std::uint32_t kFragments = 300;
// With this number of aggregators, fragment 0 has aggregator kFirst, both by table and by hash.
// Fragment kSame is the next one with the same entry, and also the next one with the same hash.
constexpr std::uint32_t kAggregators = 191;
constexpr Psn kSame = 11;
constexpr std::uint32_t kFirst = 81;
constexpr std::uint32_t kNone = UINT32_MAX;

class Zeros final : public GradientSource {
 public:
  void read(Psn, std::span<std::int32_t> out) const override {
    std::fill(out.begin(), out.end(), 0);
  }
};

class NoSink final : public ResultSink {
 public:
  void fragment_complete(const Frame&, const Delivery&, Time) override {}
  void tensor_complete(Psn, Time) override {}
};

/// Two workers A (rank 0, a window of one packet) and B (rank 1, of twelve), their server, and an
/// ATP switch. Results wait until get() or lose().
class TwoWorkers {
 public:
  explicit TwoWorkers(const AddressingConfig& addressing)
      : program_({addressing.aggregators, 1}),
        server_({kJob, 2, kServer, kFragments}, {.addressing = addressing}) {
    program_.install_job(kJob, {2, kServer, 0, 0});
    for (std::uint16_t rank = 0; rank < 2; ++rank) {
      const std::uint32_t window = rank == 0 ? 1 : kSame + 1;
      workers_[rank] = std::make_unique<AtpWorker>(
          WorkerIdentity{kJob, rank, 2, rank, kServer},
          AtpWorker::Config{.addressing = addressing, .window = {window, 0, false}}, pool_, sink_);
      workers_[rank]->submit({0, kFragments, 0, 0, &zeros_}, Time{});
    }
  }

  /// Simulates packets of another job: fragments that arrive at this aggregator for the first time
  /// collide.
  void occupy(std::uint32_t aggregator) {
    occupied_ = aggregator;
    occupied_of_ = kFragments;
  }

  /// Does the same for the aggregator that this fragment will have.
  void occupy_that_of(Psn psn) { occupied_of_ = psn; }

  /// The worker sends up to `packets` packets.
  void send(std::uint16_t rank, std::uint32_t packets = kFragments) {
    Frame frame;
    for (; packets > 0 && workers_[rank]->next(frame, now_); --packets) {
      now_ += std::chrono::microseconds(1);
      if (!frame.has(flag::resend)) sent_[rank].at(frame.psn) = frame.aggregator().index;
      at_switch(std::move(frame));
      frame = Frame{};
    }
  }
  /// The worker receives up to `most` results. Returns their number.
  std::size_t get(std::uint16_t rank, std::size_t most = kFragments) {
    std::vector<Frame>& inbox = inbox_[rank];
    const std::size_t count = std::min(most, inbox.size());
    for (std::size_t i = 0; i < count; ++i) workers_[rank]->receive(inbox[i], now_);
    inbox.erase(inbox.begin(), inbox.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  std::size_t lose(std::uint16_t rank) { return std::exchange(inbox_[rank], {}).size(); }
  /// Lets the time-out of the oldest packet end.
  void time_out() {
    now_ = std::min(workers_[0]->deadline(), workers_[1]->deadline());
    for (const auto& worker : workers_) worker->expire(now_);
  }
  /// Aggregator of the worker's first transmission of a fragment.
  std::uint32_t index(std::uint16_t rank, Psn psn) const { return sent_[rank].at(psn); }
  bool has_sent(Psn psn) const {
    return sent_[0].at(psn) != kNotSent && sent_[1].at(psn) != kNotSent;
  }

 private:
  static constexpr std::uint32_t kNotSent = UINT32_MAX;

  void at_switch(Frame frame) {
    if (frame.psn == occupied_of_) occupied_ = frame.aggregator().index;
    if (frame.aggregator().index == occupied_ && !frame.has(flag::resend)) {
      frame.set(flag::collision | flag::resend | flag::second_level);
    } else if (program_.process(frame, now_).exit != rmt::Verdict::Exit::forward) {
      return;
    }
    server_.receive(std::move(frame), now_);
    for (Frame result; server_.next(result); result = Frame{}) {
      program_.process(result, now_);
      for (std::uint16_t rank = 0; rank < 2; ++rank) {
        const bool mine = result.destination == kAllWorkers || result.destination == rank;
        if (mine) inbox_[rank].push_back(result);
      }
    }
  }

  ValuePool pool_{1};
  NoSink sink_;
  Zeros zeros_;
  Time now_{};
  programs::AtpProgram<> program_;
  AtpServer server_;
  std::array<std::unique_ptr<AtpWorker>, 2> workers_;
  std::array<std::vector<Frame>, 2> inbox_;
  std::array<std::vector<std::uint32_t>, 2> sent_{std::vector(kFragments, kNotSent),
                                                  std::vector(kFragments, kNotSent)};
  std::uint32_t occupied_ = kNone;
  Psn occupied_of_ = kFragments;
};

constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 1;

/// Fragments 0 and kSame collide one after the other. B loses both results, and receives both after
/// it retransmits.
void lose_two_results_of_a_chain(TwoWorkers& job) {
  job.occupy(kFirst);
  job.send(kA);
  job.send(kB, 1);
  job.get(kA);
  EXPECT_EQ(job.lose(kB), 1U);  // result of fragment 0
  job.occupy(kNone);
  job.send(kB);  // by hash also fragment kSame, where 0 collided
  for (Psn psn = 1; psn < kSame; ++psn) {
    job.send(kA);
    EXPECT_EQ(job.get(kA) + job.get(kB), 2U);
  }
  job.occupy_that_of(kSame);
  job.send(kA);
  job.send(kB, 1);  // fragment 0 again: three results came out of order
  EXPECT_EQ(job.get(kB), 1U);
  job.send(kB, 1);  // by table, fragment kSame
  if (job.get(kA) == 0) {
    job.time_out();
    job.send(kB, 1);
    EXPECT_EQ(job.get(kA), 1U);
  }
  EXPECT_EQ(job.lose(kB), 1U);  // result of fragment kSame
  job.occupy(kNone);
  while (job.get(kB) == 0) {
    job.time_out();
    job.send(kB, 1);
  }
}

/// Finishes the job without further loss. Returns how often progress required a time-out.
int finish(TwoWorkers& job) {
  int stalls = 0;
  while (!job.has_sent(kFragments - 1)) {
    job.send(kA);
    job.send(kB);
    const std::size_t got = job.get(kA) + job.get(kB);
    if (got > 0) continue;
    ++stalls;
    job.time_out();
  }
  return stalls;
}

AddressingConfig addressing(AddressingScheme scheme) {
  return {.aggregators = kAggregators, .scheme = scheme, .rehash = true, .table_entries = kSame};
}

TEST(TwoLostResultsOfAChain, LeaveTwoWorkersWithOneTable) {
  TwoWorkers job(addressing(AddressingScheme::table));
  lose_two_results_of_a_chain(job);
  EXPECT_EQ(finish(job), 0);
  for (Psn psn = 0; psn < kFragments; ++psn) {
    EXPECT_EQ(job.index(kA, psn), job.index(kB, psn)) << psn;
  }
  EXPECT_NE(job.index(kA, kSame), kFirst);
  EXPECT_NE(job.index(kA, 2 * kSame), job.index(kA, kSame));
}

/// Shows why the table is needed. With the rehash of ATP 3.6 the workers disagree forever, and each
/// fragment of the chain waits until it is retransmitted.
TEST(TwoLostResultsOfAChain, LeaveTwoWorkersWithTwoMapsOfARehash) {
  TwoWorkers job(addressing(AddressingScheme::hash));
  lose_two_results_of_a_chain(job);
  EXPECT_GT(finish(job), 5);
  for (Psn psn = kSame + 1; psn < kFragments; ++psn) {
    if (wire::aggregator_index(kJob, psn, kAggregators) != kFirst) continue;
    EXPECT_NE(job.index(kA, psn), job.index(kB, psn)) << psn;
  }
}

std::vector<std::uint32_t> table_of(WorkerAddressing& worker) {
  std::vector<std::uint32_t> table;
  for (Psn psn = 0; psn < worker.range(); ++psn) table.push_back(worker.index(psn));
  return table;
}

bool are_distinct(const std::vector<std::uint32_t>& table) {
  return std::set(table.begin(), table.end()).size() == table.size();
}

TEST(Tables, BeginAlikeWithDistinctAggregators) {
  for (const std::uint32_t aggregators : {1U, 2U, 7U, 660U, 1000U, 20161U}) {
    for (const std::uint32_t entries : {1U, 2U, 660U, 1000000U}) {
      const AddressingConfig config{
          .aggregators = aggregators, .scheme = AddressingScheme::table, .table_entries = entries};
      WorkerAddressing worker(3, config);
      const auto table = table_of(worker);
      EXPECT_EQ(table.size(), std::min(aggregators, entries));
      EXPECT_TRUE(are_distinct(table));
      WorkerAddressing other(3, config);
      EXPECT_EQ(table_of(other), table);
      IndexNaming server(3, config);
      for (Psn psn = 0; psn < worker.range(); ++psn) {
        Frame result;
        result.psn = psn;
        server.name(result, false);
        EXPECT_EQ(result.aggregator().next_index, table[psn]);
      }
    }
  }
}

/// Whatever frames a worker receives, it uses aggregators that exist. Its table is correct again
/// once the server has named each entry. The server's entries are always distinct.
TEST(Tables, AreRightAgainAfterAnyFrames) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Random random(seed);
    const AddressingConfig config{.aggregators = random.between(1, 40),
                                  .scheme = AddressingScheme::table,
                                  .table_entries = random.between(1, 40)};
    WorkerAddressing worker(1, config);
    IndexNaming server(1, config);
    const std::uint32_t entries = worker.range();
    std::vector<std::uint32_t> named = table_of(worker);
    const auto collide = [&](Psn psn) {
      Frame result;
      result.psn = psn;
      result.aggregator().index = named[psn % entries];
      server.name(result, true);
      named[psn % entries] = result.aggregator().next_index;
      return result;
    };
    for (int i = 0; i < 300; ++i) {
      Frame garbage;
      garbage.psn = static_cast<Psn>(random.bits());
      garbage.flags = static_cast<std::uint8_t>(random.bits());
      garbage.aggregator().index = static_cast<std::uint32_t>(random.bits());
      garbage.aggregator().next_index = random.percent(50)
                                            ? static_cast<std::uint32_t>(random.bits())
                                            : random.between(0, config.aggregators);
      worker.result_came(garbage);
      worker.delivered(garbage);
      collide(random.between(0, 1000));
      EXPECT_TRUE(are_distinct(named));
      for (const std::uint32_t index : table_of(worker)) EXPECT_LT(index, config.aggregators);
    }
    for (Psn psn = 0; psn < entries; ++psn) worker.delivered(collide(psn));
    EXPECT_EQ(table_of(worker), named);
  }
}

/// An entry that collides under an outdated index stays, because its packets were sent before the
/// workers knew the new index.
TEST(Tables, AnEntryMovesOnceForAllPacketsUnderItsOldIndex) {
  IndexNaming server(1,
                     {.aggregators = 100, .scheme = AddressingScheme::table, .table_entries = 10});
  Frame first;
  first.psn = 5;
  server.name(first, false);
  Frame result;
  result.psn = 5;
  result.aggregator().index = first.aggregator().next_index;
  server.name(result, true);
  EXPECT_NE(result.aggregator().next_index, first.aggregator().next_index);
  Frame again;
  again.psn = 5;
  again.aggregator().index = first.aggregator().next_index;
  server.name(again, true);
  EXPECT_EQ(again.aggregator().next_index, result.aggregator().next_index);
}

/// Each of several servers names its own entries. Whatever collides, no two servers name one index
/// for two entries, even if only one of them has restarted.
TEST(Tables, OfSeveralServersStayDistinct) {
  for (const std::size_t count : {2U, 3U, 5U, 64U}) {
    SCOPED_TRACE(std::to_string(count) + " servers");
    testing::Random random(count);
    const AddressingConfig config{.aggregators = random.between(20, 400),
                                  .scheme = AddressingScheme::table,
                                  .table_entries = random.between(10, 100)};
    std::vector<HostId> hosts(count);
    std::iota(hosts.begin(), hosts.end(), HostId{7});
    const wire::JobServers job(hosts);
    std::vector<IndexNaming> servers;
    for (const HostId host : hosts) servers.emplace_back(1, config, job, host);
    WorkerAddressing worker(1, config);
    const std::vector<std::uint32_t> first = table_of(worker);
    std::vector<std::uint32_t> named = first;
    for (int i = 0; i < 3000; ++i) {
      Frame result;
      result.psn = random.between(0, 100'000);
      const auto entry = static_cast<Psn>(result.psn % named.size());
      result.aggregator().index = named[entry];
      const std::size_t server = job.index_of(result.psn);
      servers[server].name(result, random.percent(50));
      ASSERT_EQ(result.has(flag::new_index), job.of(entry) == job.of(result.psn));
      worker.delivered(result);
      if (result.has(flag::new_index)) named[entry] = result.aggregator().next_index;
      ASSERT_EQ(table_of(worker), named);
      ASSERT_TRUE(are_distinct(named));
      if (!random.percent(1)) continue;
      servers[server] = IndexNaming(1, config, job, hosts[server]);
      for (Psn of = 0; of < named.size(); ++of) {
        if (job.index_of(of) != server) continue;
        Frame next;
        next.psn = of;
        servers[server].name(next, false);
        ASSERT_EQ(next.aggregator().next_index, first[of]);
        worker.delivered(next);
        named[of] = first[of];
      }
      ASSERT_TRUE(are_distinct(named));
    }
  }
}

/// ATP 5.3.1: three jobs whose tables together have one entry per aggregator. In each round every
/// entry is used once. If several entries share an aggregator, all of them except one collide.
TEST(Tables, OfThreeJobsThatFitGetDisjoint) {
  constexpr std::uint32_t kEntries = 660;
  constexpr std::uint32_t kJobs = 3;
  const AddressingConfig config{.aggregators = kJobs * kEntries,
                                .scheme = AddressingScheme::table,
                                .table_entries = kEntries};
  std::vector<IndexNaming> servers;
  std::vector<std::vector<std::uint32_t>> tables;
  for (JobId job = 0; job < kJobs; ++job) {
    servers.emplace_back(job, config);
    WorkerAddressing worker(job, config);
    tables.push_back(table_of(worker));
  }
  testing::Random random(1);
  int collisions = 1;
  int rounds = 0;
  for (; collisions > 0; ++rounds) {
    ASSERT_LT(rounds, 20'000);
    collisions = 0;
    std::vector<bool> in_use(config.aggregators);
    const std::uint32_t first_job = random.between(0, kJobs - 1);
    for (std::uint32_t i = 0; i < kJobs; ++i) {
      const std::uint32_t job = (first_job + i) % kJobs;
      for (Psn psn = 0; psn < kEntries; ++psn) {
        std::uint32_t& index = tables[job][psn];
        if (!in_use[index]) {
          in_use[index] = true;
          continue;
        }
        ++collisions;
        Frame result;
        result.psn = psn;
        result.aggregator().index = index;
        servers[job].name(result, true);
        index = result.aggregator().next_index;
      }
    }
  }
  RecordProperty("rounds", rounds);
}

}  // namespace
}  // namespace ina
