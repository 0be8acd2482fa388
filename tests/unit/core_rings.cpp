// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/core_rings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/random.hpp"

namespace ina::ports {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Items = std::vector<int>;

Items flush(CoreRings<int>& rings, unsigned from) {
  Items refused;
  rings.flush(from, [&](int item) { refused.push_back(item); });
  return refused;
}

Items collect(CoreRings<int>& rings, unsigned to) {
  Items items;
  const std::size_t count = rings.collect(
      to, [&](const int* some, std::size_t n) { items.insert(items.end(), some, some + n); });
  EXPECT_EQ(count, items.size());
  return items;
}

TEST(CoreRings, BringsItemsToTheirCoreInOrderOnceTheyAreFlushed) {
  CoreRings<int> rings(3, 64);
  rings.put(0, 2, 1);
  rings.put(0, 1, 2);
  rings.put(0, 2, 3);
  EXPECT_THAT(collect(rings, 2), IsEmpty());
  EXPECT_THAT(flush(rings, 0), IsEmpty());
  EXPECT_THAT(collect(rings, 0), IsEmpty());
  EXPECT_THAT(collect(rings, 1), ElementsAre(2));
  EXPECT_THAT(collect(rings, 2), ElementsAre(1, 3));
  EXPECT_THAT(collect(rings, 2), IsEmpty());
}

TEST(CoreRings, GivesBackWhatFindsNoRoomAndKeepsTheRest) {
  CoreRings<int> rings(2, 4);
  for (int item = 0; item < 6; ++item) rings.put(0, 1, item);
  EXPECT_THAT(flush(rings, 0), ElementsAre(4, 5));
  rings.put(0, 1, 6);
  EXPECT_THAT(flush(rings, 0), ElementsAre(6));
  EXPECT_THAT(collect(rings, 1), ElementsAre(0, 1, 2, 3));
  rings.put(0, 1, 7);
  EXPECT_THAT(flush(rings, 0), IsEmpty());
  EXPECT_THAT(collect(rings, 1), ElementsAre(7));
}

TEST(CoreRings, AFullRingHoldsUpNoOther) {
  CoreRings<int> rings(3, 1);
  for (int item = 0; item < 3; ++item) rings.put(0, 1, item);
  rings.put(0, 2, 9);
  EXPECT_THAT(flush(rings, 0), ElementsAre(1, 2));
  EXPECT_THAT(collect(rings, 2), ElementsAre(9));
}

struct Parcel {
  unsigned from = 0;
  int number = 0;
};

/// Numbers that a core received: the last one from each other core, and their count.
struct Received {
  std::vector<int> last;
  std::size_t count = 0;
  bool in_order = true;
};

constexpr unsigned kCores = 3;
constexpr int kParcels = 20'000;

/// One core's work: sends parcels with rising numbers to random other cores, and receives parcels.
/// Returns how many it got back.
std::size_t work(CoreRings<Parcel>& rings, unsigned core, std::atomic<unsigned>& sending,
                 Received& received) {
  testing::Random random(core);
  received.last.assign(kCores, -1);
  std::size_t refused = 0;
  const auto take = [&](const Parcel* parcels, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      int& last = received.last[parcels[i].from];
      received.in_order &= last < parcels[i].number;
      last = parcels[i].number;
    }
    received.count += count;
  };
  for (int number = 0; number < kParcels; ++number) {
    rings.put(core, (core + random.between(1, kCores - 1)) % kCores, {core, number});
    if (random.percent(10)) rings.flush(core, [&](const Parcel&) { ++refused; });
    if (random.percent(20)) rings.collect(core, take);
  }
  rings.flush(core, [&](const Parcel&) { ++refused; });
  for (--sending; sending != 0;) rings.collect(core, take);
  while (rings.collect(core, take) != 0) continue;
  return refused;
}

TEST(CoreRings, LosesAndReordersNothingBetweenThreads) {
  CoreRings<Parcel> rings(kCores, 64);
  std::atomic<unsigned> sending = kCores;
  std::vector<Received> received(kCores);
  std::vector<std::size_t> refused(kCores);
  std::vector<std::thread> threads;
  for (unsigned core = 0; core < kCores; ++core) {
    threads.emplace_back([&, core] { refused[core] = work(rings, core, sending, received[core]); });
  }
  for (std::thread& thread : threads) thread.join();
  std::size_t all = 0;
  for (unsigned core = 0; core < kCores; ++core) {
    EXPECT_TRUE(received[core].in_order) << core;
    all += received[core].count + refused[core];
  }
  EXPECT_EQ(all, std::size_t{kCores} * kParcels);
}

}  // namespace
}  // namespace ina::ports
