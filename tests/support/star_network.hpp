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

/// A node with a link to the switch.
class Host {
 public:
  virtual ~Host() = default;
  virtual void receive(Frame&& frame, Time now) = 0;
  virtual bool next(Frame& out, Time now) = 0;
  virtual Time deadline() const = 0;
  virtual void expire(Time now) = 0;
  /// Called at an instant that was requested with wake_at().
  virtual void wake(Time) {}
};

/// An absent host.
class SilentHost final : public Host {
 public:
  void receive(Frame&&, Time) override {}
  bool next(Frame&, Time) override { return false; }
  Time deadline() const override { return kNever; }
  void expire(Time) override {}
};

enum class Direction : std::uint8_t { up, down };

/// An in-memory network of hosts around one switch, or around leaves under it. It consists of a
/// queue of events, links that keep their order and delay frames randomly, and faults per direction
/// of a link. Hosts may take time for each packet that they send or receive.
class StarNetwork {
 public:
  struct Config {
    wire::Format format = wire::Format::dsa;
    Time min_delay = std::chrono::microseconds(1);
    Time max_delay = std::chrono::microseconds(10);
    std::uint32_t ecn_percent = 0;
    cluster::HostStage::Config host_stage{};  ///< for every host; switches have none
    std::uint64_t host_stage_seed = 0;
    /// For switches whose program separates passes: longest duration of a pass, and share of the
    /// recirculated frames that are lost.
    Time max_pass = std::chrono::microseconds(1);
    std::uint32_t lost_recirculations_percent = 0;
  };

  struct Statistics {
    std::uint64_t switched = 0;  ///< frames that arrived at a switch
    std::uint64_t unheard = 0;   ///< frames in `switched` that arrived while the switch was down
    std::uint64_t refused = 0;   ///< frames in `switched` that its member table refused
    std::uint64_t lost = 0;
    std::uint64_t corrupted = 0;          ///< dropped by the receiver
    std::uint64_t corrupted_decoded = 0;  ///< in a sample: wrong only in the check sequence
    std::uint64_t duplicated = 0;
    std::uint64_t reordered = 0;
    std::uint64_t lost_in_host = 0;         ///< in full receive queues; not in `lost`
    std::uint64_t further_passes = 0;       ///< in programs that separate passes
    std::uint64_t lost_between_passes = 0;  ///< not in `lost`
    std::array<std::uint64_t, faults::kFrameClassNames.size()> lost_of_class{};
  };

  StarNetwork(const Config& config, std::unique_ptr<programs::SwitchProgram> program,
              ValuePool& pool, Random& random)
      : config_(config), pool_(pool), random_(random) {
    middle_.node.set_program(std::move(program));
  }

  /// Address of the switch in the middle.
  static constexpr HostId kMiddle = kAllWorkers;
  /// Hosts get the addresses 0, 1, … in the order in which they are added.
  HostId add(Host& host, std::string name);
  /// Adds a leaf switch and moves these hosts under it. Returns the leaf's address, which is that
  /// of its link to the middle.
  HostId add_leaf(std::unique_ptr<programs::SwitchProgram> program, std::string name,
                  const std::vector<HostId>& hosts);
  /// Moves a host from the middle, where add() connects it, to a leaf.
  void move_under(HostId host, HostId leaf);
  const std::string& name(HostId host) const { return ports_[host].name; }
  node::SwitchNode& node(HostId at = kMiddle) { return switch_at(at).node; }
  void install_job(JobId job, const programs::JobEntry& entry, const node::JobMembers& members,
                   HostId at = kMiddle);
  /// Disables the member tables: switches admit every frame.
  void open_ports() { ports_are_open_ = true; }
  /// Installs a function that gets every frame that arrives at a switch or leaves it.
  void set_tap(std::function<void(const Frame&)> tap) { tap_ = std::move(tap); }
  /// The frame that a program is processing: its switch, ingress port and claimed source.
  struct Arrival {
    HostId at = kMiddle;
    HostId ingress = 0;
    HostId source = 0;
  };
  const std::optional<Arrival>& arrival() const { return arrival_; }
  /// Adds faults to one direction of a host's link.
  void add_faults(HostId host, Direction direction, const faults::LinkFaults::Config& config,
                  std::uint64_t seed);
  /// Prints every further step to `out`.
  void trace_to(std::ostream& out) { trace_ = &out; }
  bool is_traced() const { return trace_ != nullptr; }
  /// Prints the text if steps are traced.
  void note(const std::string& what);

  void wake_at(HostId host, Time at);
  void call_at(Time at, std::function<void()> action);
  /// Gives the address to another host. Frames held for a paused old host are lost.
  void replace(HostId address, Host& host);
  /// Makes the host at this address do nothing until resume(). Frames for it are held.
  void pause(HostId host) { ports_[host].paused = true; }
  /// Makes the host continue, with the frames that arrived meanwhile.
  void resume(HostId host);

  /// Processes the next event. Returns false if there is none.
  bool step();
  /// Runs until no event is left. Returns what went wrong, or "".
  std::string run(Time limit);
  Time now() const { return now_; }
  const std::string& failure() const { return failure_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  enum class What : std::uint8_t {
    sent,       // leaves the host's stage
    at_switch,  // at the upper end of a link
    at_port,    // at the lower end of a link, a host or a leaf
    at_host,    // leaves the host's stage, if there is one
    deadline,
    wake,
    action,
    switch_deadline,
    next_pass,  // a frame in a switch takes its next pass
  };
  /// State of a frame between two passes.
  struct Passing {
    rmt::Carry carry;
    Arrival arrival;
    const programs::SwitchProgram* program = nullptr;  // a reboot replaces it, and loses the frame
  };
  struct Event {
    Time at;
    std::uint64_t sequence;
    std::uint32_t tag;  // deadline or wake: the host's generation; action: its index
    What what;
    HostId host;  // deadline of a switch: the switch
    Frame frame;
    Passing passing;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };
  struct Switch {
    node::SwitchNode node;
    std::vector<HostId> links;  // by PortIndex; a leaf's first link is its own
    Time timer = kNever;
    std::array<Time, 2> last_pass{};  // times of resubmitted and of recirculated frames
  };
  /// Link of a host or of a leaf.
  struct Port {
    Host* host = nullptr;          // null: link of a leaf to the middle
    std::unique_ptr<Switch> leaf;  // at the lower end of this link
    HostId above = kMiddle;        // switch at the upper end of this link
    node::PortIndex port = 0;      // at that switch
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
  void run_next_pass(Event& event);
  void after_pass(HostId at, Frame& frame, const Passing& passing, const rmt::Verdict& verdict);
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

/// An instant as it is printed in traces.
std::string in_words(Time time);

}  // namespace ina::testing
