// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/cluster/training/job_gradients.hpp"
#include "hw/cluster/training/training_worker.hpp"
#include "switch-models/node/switch_node.hpp"
#include "tests/exploration/action.hpp"
#include "tests/exploration/system.hpp"

namespace ina::exploration {

using MakeSystem = std::function<std::unique_ptr<System>(const Configuration&, ValuePool&, Coin&)>;

/// A state of a configuration and its possible actions: the hosts, one switch or a root with
/// leaves, and the frames between them. Every link keeps its order, except for delayed frames. A
/// switch processes a frame and forwards the outcome at once. A host processes a frame and at once
/// sends everything that it may send. If passes are separate, a frame waits in the switch before
/// each further pass. Every host has its own clock, which stands still until its timer fires: hosts
/// do not know each other's speed, so any timer may fire at any moment. A server has one timer per
/// waiting entry, and a switch has one if its program has a deadline. The control plane registers
/// jobs, also repeatedly, and its decisions take effect at once.
class World : private cluster::ControlWorld {
 public:
  World(const Configuration& configuration, const MakeSystem& make_system);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Writes the state as bytes. The bytes of two states are equal if and only if the same schedules
  /// can follow. The budget is in the first kBudgetBytes.
  static constexpr std::size_t kBudgetBytes = 9;
  void save(Bytes& out);
  /// Writes the state that was saved last, with the workers' ranks renamed.
  void save_renamed(Bytes& out, const Renaming& renaming);
  const std::vector<Renaming>& renamings() const { return renamings_; }
  void restore(std::span<const std::byte> state);

  /// Lists the possible actions. Deliveries to different hosts commute. If a frame waits for a
  /// host, only this host's steps are listed, because every schedule has an equivalent one in which
  /// its next step at this host comes first.
  void list_actions(std::vector<Action>& out) const;
  /// Lists the next steps of the fair schedule, which loses nothing, to be applied in order: all
  /// frames in transit arrive, or, if there are none, every timer fires. The list is empty if
  /// nothing can happen any more.
  void list_fair_step(std::vector<Action>& out) const;
  /// Applies the action. Returns whether a coin was tossed. If a property failed, failure()
  /// describes it.
  bool apply(const Action& action);
  bool possible(const Action& action) const;
  /// Whether the budget allows the action. Fair schedules ignore the budget of timers.
  bool affordable(const Action& action) const;

  const std::string& failure() const { return failure_; }
  /// Returns what is wrong in a state without possible actions, or "". Changes the state: if hosts
  /// have aggregator tables, it runs one more iteration without loss. Then it probes the switch.
  std::string verdict_at_end();

  /// Logs every further step in words.
  void log_to(std::vector<std::string>* log) { log_ = log; }

 private:
  struct Link {
    std::vector<Frame> queue;  ///< in order
    std::vector<Frame> late;   ///< in the order in which they were delayed
  };
  class Host;
  /// Next hop of a frame at a switch: a host or a leaf below it or, from a leaf, the root.
  struct Neighbour {
    std::uint8_t host;  ///< host at the lower end of the link, or the leaf's own
    Action::Way way;

    friend bool operator==(const Neighbour&, const Neighbour&) = default;
  };
  /// The switch of a rack.
  struct Switch {
    node::SwitchNode node;
    std::vector<Neighbour> neighbours;  ///< by port
    PassingFrames passing;
  };

  void install_job(std::size_t rack, const cluster::Registration& registration) override;
  void remove_job(std::size_t rack, const cluster::Registration& registration) override;
  void take_switch_down(std::size_t rack) override;
  void bring_switch_back(std::size_t rack) override;
  void start_workers(const cluster::Registration& registration, Time now) override;
  void start_server(const cluster::Registration& registration, std::uint16_t index,
                    Time now) override;
  void stop(const cluster::JobHost& host, Time now) override;
  void pause(const cluster::JobHost& host, Time until, Time now) override;
  void resume(const cluster::JobHost& host, Time now) override;
  void expect(const cluster::JobHost& host, Time at) override;
  void job_event(cluster::JobEvent event, const cluster::JobHost& host) override;

  void add_hosts();
  Host& add_host(std::uint32_t job, std::uint16_t rank, std::uint16_t rack);
  void add_leaves();
  void add_jobs();
  /// The registration of the job under this id.
  cluster::Registration registration(std::uint32_t job, JobId id) const;
  void make_worker(Host& host, const cluster::Registration& registration);
  void make_server(Host& host, const cluster::Registration& registration);
  bool running(const Host& host) const;
  bool may_end_its_job(const Host& host) const;
  Link& link(const Action& action);
  const Link& link(const Action& action) const;
  std::size_t rack_of(const Action& action) const;
  bool has_deadline(const Action& switch_fire) const;
  void list_switch_deadlines(std::vector<Action>& out) const;
  void list_link_actions(std::uint8_t host, Action::Way way, std::vector<Action>& out) const;
  std::size_t timers(const Host& host) const;
  void list_host_actions(std::uint8_t host, std::vector<Action>& out) const;
  bool is_passing(const Switch& at) const;
  const Switch* switch_at_end_of(const Host& host, Action::Way way) const;
  bool interrupts(const Action& delivery) const;
  void list_passes(std::vector<Action>& out) const;
  bool list_steps_between_passes(std::vector<Action>& out) const;
  void list_node_faults(const Host* waiting, std::vector<Action>& out) const;
  bool commutes(const Action& fault, const Host& host) const;
  void strike(const Action& action);
  Frame take(const Action& action);
  void arrive(const Action& action, Frame frame);
  void at_switch(std::size_t rack, const Neighbour& from, Frame frame);
  void run_next_pass(const Action& pass);
  void after_pass(Switch& at, Frame& frame, const rmt::Carry& carry, const rmt::Verdict& verdict);
  void let_out(Switch& at, Frame& frame, rmt::Verdict::Exit exit);
  void send_own(Switch& at);
  void fire_at_switch(std::size_t rack);
  void send_on(const Neighbour& next, Frame&& frame);
  void at_host(Host& host, Frame frame);
  std::string verdict_on_tables();
  std::string verdict_on_tables_of(std::uint32_t job);
  std::vector<std::uint32_t> table_of(const Host& host, const std::vector<std::uint32_t>& others);
  Psn psns_of_another_iteration() const;
  std::string verdict_on_leftovers(Switch& at);
  void probe(Switch& at, std::uint32_t aggregator);
  void stand_alone(Frame& frame, const Switch& at) const;
  bool has_timer(const Host& host) const;
  void fire(Host& host, std::size_t timer);
  void submit(Host& host, const Tensor& tensor);
  void submit(Host& host);
  void submit_another_iteration();
  void pull(Host& host);
  void check_result(Host& worker, const Frame& result);
  void fail(const std::string& what);
  void visit_links(Archive& archive, Host& host);
  void visit_host(Archive& archive, Host& host);
  void visit_registration(Archive& archive, Host& host);
  void visit_training(Archive& archive, Host& worker);
  std::optional<std::uint32_t> job_at(const Switch& at, JobId id) const;
  void visit_jobs(Archive& archive, std::size_t rack);
  void visit_switches(Archive& archive);
  void forget_unreadable();

  std::string name_of(const Host& host) const;
  std::string name_of_switch(std::size_t rack) const;
  std::string name_of(const Neighbour& neighbour) const;
  std::string describe(const Frame& frame) const;
  template <class Line>
  void say(Line&& line) const {
    if (log_ != nullptr) log_->push_back(line());
  }

  Configuration configuration_;
  cluster::TrainingPlan plan_;
  cluster::JobGradients no_gradients_;  // sums are verified here instead
  std::vector<Renaming> renamings_;
  Budget budget_;
  ValuePool pool_;
  Coin coin_;
  Time switch_now_;
  std::unique_ptr<System> system_;
  std::vector<Switch> switches_;                     // by rack
  std::vector<std::unique_ptr<Host>> hosts_;         // workers by job, then servers, then leaves
  std::unique_ptr<cluster::ControlWorld> mistaken_;  // between the control plane and this world
  cluster::ControlPlane control_;
  std::vector<Archive> collectors_;  // one per host
  std::string failure_;
  std::vector<std::string>* log_ = nullptr;
};

}  // namespace ina::exploration
