// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "tests/property/random.hpp"

namespace ina::testing {

/// Something with a link to the switch.
class Host {
 public:
  virtual ~Host() = default;
  virtual void receive(Frame&& frame, Time now) = 0;
  virtual bool next(Frame& out, Time now) = 0;
  virtual Time deadline() const = 0;
  virtual void expire(Time now) = 0;
  /// An instant that the host asked for has come.
  virtual void wake(Time) {}
};

/// Hosts around one switch, in memory: a queue of events, links that keep their order but delay
/// each frame as long as they like, and lose some.
class StarNetwork {
 public:
  struct Config {
    Time min_delay = std::chrono::microseconds(1);
    Time max_delay = std::chrono::microseconds(10);
    std::uint32_t loss_percent = 0;
    std::uint32_t ecn_percent = 0;
  };

  StarNetwork(const Config& config, programs::SwitchProgram& program, Random& random)
      : config_(config), program_(program), random_(random) {}

  /// Hosts get the addresses 0, 1, … in the order of their coming.
  HostId add(Host& host);
  /// Frames to every worker of `job` go to these.
  void set_workers(JobId job, std::vector<HostId> workers);
  void wake_at(HostId host, Time at);

  /// Runs until nothing happens any more. Returns what went wrong, or nothing.
  std::string run(Time limit);
  Time now() const { return now_; }

 private:
  enum class What : std::uint8_t { at_switch, at_host, deadline, wake };
  struct Event {
    Time at;
    std::uint64_t sequence;
    What what;
    HostId host;
    Frame frame;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };
  struct Port {
    Host* host = nullptr;
    std::array<Time, 2> last_arrival{};  // up, down
    Time timer = kNever;
  };

  void push(Time at, What what, HostId host, Frame frame = {});
  void transmit(What what, HostId host, const Frame& frame);
  void handle(Event& event);
  void switch_frame(Frame& frame);
  void serve(HostId id);

  Config config_;
  programs::SwitchProgram& program_;
  Random& random_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<Port> ports_;
  std::vector<std::vector<HostId>> workers_;
  Time now_{};
  std::uint64_t sequence_ = 0;
  std::string failure_;
};

}  // namespace ina::testing
