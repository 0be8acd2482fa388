// SPDX-License-Identifier: BSD-3-Clause
// Cores that share a device, on DPDK's rings. Each queue returns the frames that were sent to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/dpdk/ports/device.hpp"
#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/port.hpp"
#include "hw/dpdk/ports/steering.hpp"
#include "hw/protocol/wire/steering.hpp"
#include "tests/support/random.hpp"

namespace ina::ports {
namespace {

constexpr wire::Format kFormat = wire::Format::dsa;
// The driver has 16 queues.
constexpr unsigned kCoresWithQueues = 4;
constexpr unsigned kCoresWithoutQueues = 17;

/// The buffers. DPDK can be started only once per process, and each device can be used only once.
rte_mempool& buffers() {
  static const Eal eal({{"net_ring0", "net_ring1", "net_ring2", "net_ring3"}});
  static rte_mempool& pool = make_mempool(4, 1);
  return pool;
}

struct Core {
  Core(BufferRings& rings, unsigned number, Device& device)
      : steering(rings, number, kFormat), port(device, kFormat, values, number, &steering) {}

  /// Receives frames. Returns how many arrived at this core or were passed on.
  std::size_t receive() {
    const std::size_t moved = port.receive([&](Frame&& frame) { keep(frame); });
    return moved + collect();
  }
  std::size_t collect() {
    return steering.collect([&](const rte_mbuf& buffer) {
      if (auto frame = port.decode(buffer)) keep(*frame);
    });
  }
  /// Sends frames of `to_send`. Returns how many were sent.
  std::size_t send() {
    return port.send([&](Frame& out) {
      if (sent == to_send.size()) return false;
      out = to_send[sent++];
      return true;
    });
  }
  void keep(const Frame& frame) {
    received.push_back({frame.worker, frame.aggregator().index, frame.psn});
  }

  struct Received {
    std::uint16_t sender = 0;
    std::uint32_t aggregator = 0;
    Psn psn = 0;
  };

  ValuePool values{wire::kFragmentValues};
  Steering steering;
  Port port;
  std::vector<Frame> to_send;
  std::size_t sent = 0;
  std::vector<Received> received;
};

class SharedDevice {
 public:
  SharedDevice(const std::string& name, unsigned cores)
      : device_(name, kFormat, buffers(), {cores, 1}), rings_(cores, ring_buffers(cores)) {
    for (unsigned core = 0; core < cores; ++core) {
      cores_.push_back(std::make_unique<Core>(rings_, core, device_));
    }
  }

  Device& device() { return device_; }
  Core& core(unsigned number) { return *cores_[number]; }
  PortCounters counters() const {
    PortCounters sum;
    for (const auto& core : cores_) sum += core->port.counters();
    return sum;
  }
  /// Runs until no core makes progress.
  void run() {
    for (std::size_t moved = 1; moved != 0;) {
      moved = 0;
      for (const auto& core : cores_) moved += core->receive() + core->send();
    }
  }

 private:
  Device device_;
  BufferRings rings_;
  std::vector<std::unique_ptr<Core>> cores_;
};

Frame gradient(unsigned sender, std::uint32_t aggregator, Psn psn) {
  Frame frame;
  frame.worker = static_cast<std::uint16_t>(sender);
  frame.aggregator().index = aggregator;
  frame.psn = psn;
  frame.bytes = frame_bytes(kFormat, wire::kFragmentValues);
  return frame;
}

/// Each core sends frames with random aggregators. Their owners must receive them in order.
void expect_frames_at_their_owners_in_order(const std::string& name, unsigned cores) {
  constexpr Psn kFramesOfCore = 300;
  constexpr std::uint32_t kAggregators = 40;
  SharedDevice shared(name, cores);
  testing::Random random(cores);
  for (unsigned sender = 0; sender < cores; ++sender) {
    for (Psn psn = 1; psn <= kFramesOfCore; ++psn) {
      shared.core(sender).to_send.push_back(
          gradient(sender, random.between(0, kAggregators - 1), psn));
    }
  }
  shared.run();
  std::size_t received = 0;
  for (unsigned owner = 0; owner < cores; ++owner) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, Psn> last;
    for (const Core::Received& one : shared.core(owner).received) {
      ASSERT_EQ(wire::core_of(one.aggregator, cores), owner);
      Psn& before = last[{one.sender, one.aggregator}];
      ASSERT_LT(before, one.psn);
      before = one.psn;
      ++received;
    }
  }
  EXPECT_EQ(received, std::size_t{cores} * kFramesOfCore);
  const PortCounters counters = shared.counters();
  EXPECT_EQ(counters.frames_sent, received);
  EXPECT_EQ(counters.frames_received, received);
  EXPECT_EQ(counters.dropped, 0U);
}

TEST(SharedDevice, BringsFramesToTheirOwnersInOrderByAQueueForEachCore) {
  expect_frames_at_their_owners_in_order("net_ring0", kCoresWithQueues);
}

TEST(SharedDevice, BringsFramesToTheirOwnersInOrderByOneQueueForAllCores) {
  expect_frames_at_their_owners_in_order("net_ring1", kCoresWithoutQueues);
}

TEST(SharedDevice, HasOneQueueIfTheDriverHasFewerThanCores) {
  SharedDevice shared("net_ring2", kCoresWithoutQueues);
  const Device& device = shared.device();
  EXPECT_EQ(device.queue_layout(), "1 queue each way, steered in software");
  for (unsigned core = 0; core < kCoresWithoutQueues; ++core) {
    EXPECT_EQ(device.queue_of(core).has_value(), core == 1);
  }
}

/// The owner of the frames does not run.
TEST(SharedDevice, DropsAndCountsWhatFindsNoRoomOnTheWayToItsOwner) {
  SharedDevice shared("net_ring3", kCoresWithQueues);
  EXPECT_THAT(shared.device().queue_layout(),
              ::testing::HasSubstr("4 queues each way, steered in software"));
  const std::size_t room = ring_buffers(kCoresWithQueues);
  constexpr std::size_t kTooMany = 44;
  Core& sender = shared.core(0);
  for (Psn psn = 1; psn <= room + kTooMany; ++psn) sender.to_send.push_back(gradient(0, 1, psn));
  while (sender.send() + sender.receive() != 0) continue;
  EXPECT_EQ(sender.port.counters().frames_received, room + kTooMany);
  EXPECT_EQ(sender.port.counters().dropped, kTooMany);
  // Frames for other cores are not blocked.
  for (const std::uint32_t aggregator : {0U, 2U}) {
    sender.to_send.push_back(gradient(0, aggregator, 1));
  }
  while (sender.send() + sender.receive() != 0) continue;
  shared.core(2).collect();
  EXPECT_EQ(sender.received.size(), 1U);
  EXPECT_EQ(shared.core(2).received.size(), 1U);
  EXPECT_EQ(sender.port.counters().dropped, kTooMany);
  while (shared.core(1).collect() != 0) continue;
  EXPECT_EQ(shared.core(1).received.size(), room);
  EXPECT_EQ(shared.core(1).received.back().psn, room);
}

}  // namespace
}  // namespace ina::ports
