// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "hw/cluster/faults/link_faults.hpp"
#include "hw/cluster/network/host_stage.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "switch-models/node/switch_node.hpp"
#include "tests/support/random.hpp"

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

/// A host that is not there.
class SilentHost final : public Host {
 public:
  void receive(Frame&&, Time) override {}
  bool next(Frame&, Time) override { return false; }
  Time deadline() const override { return kNever; }
  void expire(Time) override {}
};

enum class Direction : std::uint8_t { up, down };

/// Hosts around one switch, or around leaves under it, in memory: a queue of events, links that
/// keep their order but delay each frame as long as they like, and what faults are set for a
/// direction of a link. Hosts may take time for each packet that they send or receive.
class StarNetwork {
 public:
  struct Config {
    wire::Format format = wire::Format::dsa;
    Time min_delay = std::chrono::microseconds(1);
    Time max_delay = std::chrono::microseconds(10);
    std::uint32_t ecn_percent = 0;
    cluster::HostStage::Config host_stage{};  ///< of every host; switches have none
    std::uint64_t host_stage_seed = 0;
  };

  struct Statistics {
    std::uint64_t switched = 0;  ///< frames that came to a switch
    std::uint64_t unheard = 0;   ///< of those, while it was down
    std::uint64_t refused = 0;   ///< of those, by its table of members
    std::uint64_t lost = 0;
    std::uint64_t corrupted = 0;          ///< dropped by who received them
    std::uint64_t corrupted_decoded = 0;  ///< of those, well-formed if it were not for their check
    std::uint64_t duplicated = 0;
    std::uint64_t reordered = 0;
    std::uint64_t lost_in_host = 0;  ///< in full receive queues; not in `lost`
    std::array<std::uint64_t, faults::kFrameClassNames.size()> lost_of_class{};
  };

  StarNetwork(const Config& config, std::unique_ptr<programs::SwitchProgram> program,
              ValuePool& pool, Random& random)
      : config_(config), pool_(pool), random_(random) {
    middle_.node.set_program(std::move(program));
  }

  /// The switch in the middle, among switches.
  static constexpr HostId kMiddle = kAllWorkers;
  /// Hosts get the addresses 0, 1, … in the order of their coming.
  HostId add(Host& host, std::string name);
  /// From now on these hosts are under a switch of their own, whose address is that of its link to
  /// the middle.
  HostId add_leaf(std::unique_ptr<programs::SwitchProgram> program, std::string name,
                  const std::vector<HostId>& hosts);
  /// A host that is added when there are leaves is at the middle.
  void move_under(HostId host, HostId leaf);
  const std::string& name(HostId host) const { return ports_[host].name; }
  node::SwitchNode& node(HostId at = kMiddle) { return switch_at(at).node; }
  void install_job(JobId job, const programs::JobEntry& entry, const node::JobMembers& members,
                   HostId at = kMiddle);
  /// Lets every frame into the switches, whoever sends it.
  void open_ports() { ports_are_open_ = true; }
  /// Shows every frame that comes to the switch or leaves it, to who listens in.
  void set_tap(std::function<void(const Frame&)> tap) { tap_ = std::move(tap); }
  /// Where a program has a frame in its hands, the port that it came in at, and who it says it is
  /// of.
  struct Arrival {
    HostId at = kMiddle;
    HostId ingress = 0;
    HostId source = 0;
  };
  const std::optional<Arrival>& arrival() const { return arrival_; }
  /// Faults of a direction of a host's link, beside those that it has.
  void add_faults(HostId host, Direction direction, const faults::LinkFaults::Config& config,
                  std::uint64_t seed);
  /// Prints every step to `out` from now on.
  void trace_to(std::ostream& out) { trace_ = &out; }
  bool is_traced() const { return trace_ != nullptr; }
  /// Prints this, if steps are traced.
  void note(const std::string& what);

  void wake_at(HostId host, Time at);
  void call_at(Time at, std::function<void()> action);
  /// Another host has the address from now on. What waited for the old one is gone.
  void replace(HostId address, Host& host);
  /// Whoever has the address does nothing until resume().
  void pause(HostId host) { ports_[host].paused = true; }
  /// It finds what came meanwhile.
  void resume(HostId host);

  /// Does what comes next; false if nothing does.
  bool step();
  /// Runs until nothing happens any more. Returns what went wrong, or nothing.
  std::string run(Time limit);
  Time now() const { return now_; }
  const std::string& failure() const { return failure_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  enum class What : std::uint8_t {
    sent,       // the host's stage is done with it
    at_switch,  // at the upper end of a link
    at_port,    // at the lower one, a host's or a leaf's
    at_host,    // the host's stage, if it has one, is done with it
    deadline,
    wake,
    action,
    switch_deadline,
  };
  struct Event {
    Time at;
    std::uint64_t sequence;
    std::uint32_t tag;  // of a deadline or wake: the host's generation; of an action: its place
    What what;
    HostId host;  // of a switch's deadline: the switch
    Frame frame;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };
  struct Switch {
    node::SwitchNode node;
    std::vector<HostId> links;  // by PortIndex; of a leaf the first is its own
    Time timer = kNever;
  };
  /// A link, of a host or of a leaf.
  struct Port {
    Host* host = nullptr;          // none: a leaf's link to the middle
    std::unique_ptr<Switch> leaf;  // at this end of it
    HostId above = kMiddle;        // the switch that the link leads to
    node::PortIndex port = 0;      // there
    std::string name;
    std::uint32_t generation = 0;
    std::array<Time, 2> last_arrival{};  // by direction
    std::array<std::vector<faults::LinkFaults>, 2> faults;
    std::array<std::optional<cluster::HostStage>, 2> stages;  // by direction
    Time timer = kNever;
    bool paused = false;
    std::vector<Event> held;
  };

  void push(Time at, What what, HostId host, std::uint32_t tag = 0, Frame frame = {});
  void transmit(Direction direction, HostId host, const Frame& frame);
  void lose(Direction direction, HostId host, const Frame& frame);
  void corrupt(Direction direction, HostId host, const Frame& frame);
  void arrive(Time at, Direction direction, HostId host, const Frame& frame);
  void handle(Event& event);
  void receive_at_port(Event& event);
  void handle_unless_paused(Event& event);
  void handle_at_host(Event& event);
  Switch& switch_at(HostId at) { return at == kMiddle ? middle_ : *ports_[at].leaf; }
  void connect(HostId host, HostId at);
  void add_stages(HostId host);
  std::string name_of_switch(HostId at) const { return at == kMiddle ? "the switch" : name(at); }
  void switch_frame(HostId at, HostId link, Frame& frame);
  void let_out(HostId at, Frame& frame, rmt::Verdict::Exit exit);
  void expire_switch(HostId at);
  void serve_switch(HostId at);
  void set_switch_timer(HostId at);
  void serve(HostId id);
  void send(HostId id, Frame&& frame);
  void set_timer(HostId id);
  void say(const std::string& what, const Frame& frame);

  Config config_;
  ValuePool& pool_;
  Random& random_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  Switch middle_;
  std::vector<Port> ports_;
  std::vector<std::size_t> workers_;  // by JobId
  bool ports_are_open_ = false;
  std::function<void(const Frame&)> tap_ = [](const Frame&) {};
  std::optional<Arrival> arrival_;
  std::vector<std::function<void()>> actions_;
  Statistics statistics_;
  Time now_{};
  std::uint64_t sequence_ = 0;
  std::string failure_;
  std::ostream* trace_ = nullptr;
};

/// An instant as a trace prints it.
std::string in_words(Time time);

}  // namespace ina::testing
