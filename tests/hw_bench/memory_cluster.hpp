// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/libina/all_reducer.hpp"
#include "hw/processes/endpoints.hpp"
#include "switch-models/node/switch_node.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::benchmark {

/// Parts of the processing of a packet.
enum class Part : std::uint8_t {
  submit,   ///< a worker: preparation before the first packet; counted per array
  send,     ///< a worker: floats to integers, transport, frame to bytes
  receive,  ///< a worker: bytes to frame, transport, integers to floats
  decode,   ///< the switch: bytes to frames
  program,  ///< the switch: the data-plane program alone
  encode,   ///< the switch: frames to bytes
};
inline constexpr std::size_t kParts = 6;

/// A number of packets, and the time that their processing took.
struct Meter {
  std::uint64_t packets = 0;
  std::chrono::duration<double> time{};

  double packets_per_second() const { return static_cast<double>(packets) / time.count(); }
};

/// Error of sums against sums in double, relative to the sum of the magnitudes.
struct Errors {
  double mean = 0;
  double largest = 0;
};

/// The workers of a job, its server and a switch, all in one thread. Frames are copied in memory.
/// Each Part processes all waiting frames in turn, so that its time can be measured separately.
class MemoryCluster {
 public:
  /// `cluster`: has a single job, whose hosts are numbered from 0, the server last. `system`:
  /// settings of the switches. `floats`: array of each worker, by rank.
  MemoryCluster(cluster::Spec cluster, const systems::SwitchHalf& system,
                std::vector<std::vector<float>> floats);
  ~MemoryCluster();
  MemoryCluster(const MemoryCluster&) = delete;
  MemoryCluster& operator=(const MemoryCluster&) = delete;

  /// All-reduces the workers' arrays.
  void all_reduce();
  /// Errors of the workers' sums. Throws if the workers' sums differ.
  Errors errors() const;
  /// Packets sent by one worker.
  std::uint64_t packets_sent() const;
  const Meter& meter(Part part) const { return meters_[static_cast<std::size_t>(part)]; }

 private:
  class Wire;
  struct Worker;

  template <class Work>
  void measure(Part part, Work&& work);
  void expire();
  void send_gradients();
  void pass_switch();
  void serve();
  void send_of_server();
  void receive_results();

  cluster::Spec cluster_;
  ValuePool pool_;
  node::SwitchNode switch_;
  std::unique_ptr<ParameterServer> server_;  // null for systems without servers
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Wire> to_switch_;
  std::vector<std::unique_ptr<Wire>> to_hosts_;
  std::vector<Frame> in_switch_;
  std::vector<rmt::Verdict> verdicts_;
  Time now_{};
  std::array<Meter, kParts> meters_{};
};

}  // namespace ina::benchmark
