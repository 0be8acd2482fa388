// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/registration_world.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>

#include "tests/exploration/archive.hpp"
#include "tests/support/random.hpp"

namespace ina::exploration {

using registration::IdPool;
using registration::Registrar;
using registration::ServerMembership;
using registration::WorkerMembership;
using wire::RegistrationKind;
using wire::RegistrationMessage;
using State = WorkerMembership::State;

namespace {

constexpr std::uint16_t kJobs = 8;   // leaves 32 ids for each job
constexpr std::uint16_t kDrawn = 5;  // position of the id that a restarted registrar draws
constexpr Time kStep = registration::kRepeatInterval;
constexpr int kFairRounds = 30;
constexpr int kMostDeliveries = 1000;
constexpr std::uint32_t kFaultyPercent = 10;  // share of random steps that may be faults

bool goes_up(RegistrationKind kind) {
  return kind == RegistrationKind::join || kind == RegistrationKind::probe ||
         kind == RegistrationKind::ready;
}

/// A message in transit. Messages of one link keep their order, except late ones.
struct UnderWay {
  RegistrationMessage message;
  bool late = false;

  bool is_behind(const UnderWay& other) const {
    return !late && !other.late && goes_up(message.kind) == goes_up(other.message.kind) &&
           message.names_server() == other.message.names_server() &&
           message.member == other.message.member;
  }
};

/// One state: processes, network, and what was observed on the path to it.
class World {
 public:
  explicit World(const RegistrationSetup& setup)
      : setup_(setup), budget_(setup.budget), registrar_(registrar_config()) {
    for (std::uint16_t rank = 0; rank < setup.workers; ++rank) {
      workers_.push_back(process(rank, next_incarnation(), false));
    }
    for (std::uint16_t index = 0; index < setup.servers; ++index) {
      servers_.emplace_back(ServerMembership::Config{
          .index = index, .host = server_host(index), .ids = IdPool(0, kJobs)});
    }
  }

  /// Calls `go(name, action)` for each affordable action. `action(World&)` applies it.
  template <class Go>
  void for_each_action(Go&& go) const;
  /// Runs without further faults. Programs whose session is over start again.
  void run_fairly();

  const std::string& wrong() const { return wrong_; }
  std::string key() const;

 private:
  static HostId server_host(std::uint16_t index) { return static_cast<HostId>(100 + index); }
  std::uint64_t next_incarnation() { return 10 * ++processes_; }
  Registrar::Config registrar_config(JobId drawn = wire::kNoId) const {
    Registrar::Config config{.ids = IdPool(0, kJobs), .workers = {}, .servers = {}, .drawn = drawn};
    std::vector<HostId> servers;
    for (std::uint16_t rank = 0; rank < setup_.workers; ++rank) config.workers.push_back(rank);
    for (std::uint16_t i = 0; i < setup_.servers; ++i) servers.push_back(server_host(i));
    if (!servers.empty()) config.servers = wire::JobServers(servers);
    return config;
  }
  WorkerMembership process(std::uint16_t rank, std::uint64_t incarnation, bool continues) const {
    return WorkerMembership({.rank = rank,
                             .workers = setup_.workers,
                             .host = rank,
                             .incarnation = incarnation,
                             .continues = continues});
  }

  bool has_mistake(RegistrationMistake mistake) const { return setup_.mistake == mistake; }
  void send(const RegistrationMessage& message);
  bool is_first(std::size_t at) const;
  void deliver(std::size_t at, bool keep_copy);
  void drop(std::size_t at);
  void deliver_up(RegistrationMessage message);
  void deliver_down(const RegistrationMessage& message);
  void to_registrar(const RegistrationMessage& message);
  void to_worker(const RegistrationMessage& message);
  void to_server(const RegistrationMessage& message);
  void fire(std::uint16_t rank);
  void start_again(std::uint16_t rank);
  void continue_session(std::uint16_t rank);
  bool may_continue(std::uint16_t rank) const;
  void expire(std::uint16_t rank);
  void settle();
  void go_on(std::uint16_t rank);
  bool is_at_rest() const;
  /// Whether no message is in transit, except late ones.
  bool is_quiet() const { return std::ranges::all_of(network_, &UnderWay::late); }
  bool is_out(std::uint16_t rank) const {
    const State state = workers_[rank].state();
    return state == State::refused || state == State::over;
  }
  void check(std::uint16_t rank);
  void check_end(std::uint16_t rank);
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  RegistrationSetup setup_;
  RegistrationBudget budget_;
  Registrar registrar_;
  std::vector<WorkerMembership> workers_;
  std::vector<ServerMembership> servers_;
  JobId leaf_ = wire::kNoId;  // session known to the switch on worker 0's path
  std::vector<UnderWay> network_;
  Time now_{};
  std::uint64_t processes_ = 0;
  JobId continued_ = wire::kNoId;  // session that the workers leave together
  bool switch_restarted_ = false;
  std::map<std::pair<JobId, std::uint16_t>, std::uint64_t> in_session_;  // process by id and rank
  std::string wrong_;
};

// ---- the network

/// A duplicate changes nothing while the first message is in transit, so it is not sent.
void World::send(const RegistrationMessage& message) {
  const auto is_same = [&](const UnderWay& one) { return !one.late && one.message == message; };
  if (std::ranges::none_of(network_, is_same)) network_.push_back({message});
}

bool World::is_first(std::size_t at) const {
  const auto is_before = [&](const UnderWay& one) { return network_[at].is_behind(one); };
  return std::none_of(network_.begin(), network_.begin() + static_cast<std::ptrdiff_t>(at),
                      is_before);
}

void World::deliver(std::size_t at, bool keep_copy) {
  const RegistrationMessage message = network_[at].message;
  if (keep_copy) {
    network_[at].late = true;
  } else {
    drop(at);
  }
  now_ += kStep;
  if (goes_up(message.kind)) {
    deliver_up(message);
  } else {
    deliver_down(message);
  }
}

void World::drop(std::size_t at) {
  network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(at));
}

void World::deliver_up(RegistrationMessage message) {
  const bool by_leaf = !message.names_server() && message.member == 0;
  if (by_leaf && IdPool(0, kJobs).is_later(leaf_, message.latest_id)) message.latest_id = leaf_;
  to_registrar(message);
}

void World::deliver_down(const RegistrationMessage& message) {
  if (message.names_server()) return to_server(message);
  const bool has_id =
      message.kind == RegistrationKind::announce || message.kind == RegistrationKind::welcome;
  if (message.member == 0 && has_id) {
    const bool later = IdPool(0, kJobs).is_later(message.id, leaf_);
    if (later || has_mistake(RegistrationMistake::leaf_takes_any_id)) leaf_ = message.id;
  }
  to_worker(message);
}

void World::to_registrar(const RegistrationMessage& message) {
  using Joining = std::remove_cvref_t<decltype(*member<"joining_">(registrar_)[0])>;
  auto& joining = member<"joining_">(registrar_);
  // Joins that wait were heard just now, so that only expire() lets them expire.
  for (std::optional<Joining>& one : joining) {
    if (one && member<"heard">(*one) >= Time::zero()) member<"heard">(*one) = now_;
  }
  registration::Messages messages;
  registrar_.receive(message, now_, messages);
  if (has_mistake(RegistrationMistake::keep_the_epoch)) {
    member<"epoch_">(registrar_) = 1;
  }
  if (has_mistake(RegistrationMistake::give_an_id_again)) {
    member<"latest_">(registrar_) = wire::kNoId;
  }
  for (const RegistrationMessage& one : messages) send(one);
}

void World::to_worker(const RegistrationMessage& message) {
  WorkerMembership& worker = workers_[message.member];
  const State before = worker.state();
  const Time deadline_before = worker.deadline();
  worker.receive(message, now_);
  if (worker.state() == before) {
    // Announcements and epochs are answered at once.
    if (worker.deadline() != deadline_before && worker.deadline() <= now_) fire(message.member);
    return;
  }
  if (worker.state() == State::in_session) check(message.member);
  if (worker.state() == State::over) check_end(message.member);
}

void World::to_server(const RegistrationMessage& message) {
  ServerMembership& server = servers_[message.member];
  server.receive(message);
  if (has_mistake(RegistrationMistake::server_takes_any_id)) member<"id_">(server) = message.id;
  if (auto answer = server.next()) send(*answer);
}

// ---- what processes do

void World::fire(std::uint16_t rank) {
  now_ += registration::kProbeInterval;  // all timers are due
  if (auto message = workers_[rank].next(now_)) send(*message);
}

void World::start_again(std::uint16_t rank) {
  workers_[rank] = process(rank, next_incarnation(), false);
  fire(rank);
}

/// The first one to continue decides for all.
bool World::may_continue(std::uint16_t rank) const {
  const WorkerMembership& worker = workers_[rank];
  return worker.state() == State::in_session &&
         (worker.id() == continued_ || budget_.continued != 0);
}

void World::continue_session(std::uint16_t rank) {
  const WorkerMembership& worker = workers_[rank];
  if (worker.id() != continued_) --budget_.continued;
  continued_ = worker.id();
  workers_[rank] = process(rank, worker.config().incarnation + 1, true);
  fire(rank);
}

void World::expire(std::uint16_t rank) {
  member<"heard">(*member<"joining_">(registrar_)[rank]) = -registration::kJoinExpiry - Time(1);
}

// ---- what must hold

/// An id has one process per rank. The leaf and the servers know this session or a later one.
void World::check(std::uint16_t rank) {
  const WorkerMembership& worker = workers_[rank];
  const auto [entry, is_new] =
      in_session_.try_emplace({worker.id(), rank}, worker.config().incarnation);
  if (!is_new && entry->second != worker.config().incarnation) fail("two processes under one id");
  const IdPool ids(0, kJobs);
  if (rank == 0 && ids.is_later(worker.id(), leaf_)) fail("the leaf does not know the session");
  for (const ServerMembership& server : servers_) {
    if (ids.is_later(worker.id(), server.id())) fail("a server does not know the session");
  }
}

/// A session ends only if one of its processes is gone.
void World::check_end(std::uint16_t rank) {
  if (switch_restarted_) return;
  const WorkerMembership& own = workers_[rank];
  for (std::uint16_t other = 0; other < setup_.workers; ++other) {
    const auto known = in_session_.find({own.id(), other});
    const bool same =
        known != in_session_.end() && (known->second == workers_[other].config().incarnation ||
                                       known->second + 1 == workers_[other].config().incarnation);
    if (!same) return;
  }
  fail("a session was ended whose processes are all there");
}

/// Delivers all messages in transit, and those that result from them.
void World::settle() {
  for (int left = kMostDeliveries; !network_.empty() && wrong_.empty(); --left) {
    if (left == 0) return fail("messages without end");
    deliver(0, false);
  }
}

bool World::is_at_rest() const {
  const JobId id = registrar_.current();
  const auto is_in = [&](const WorkerMembership& worker) {
    return worker.state() == State::in_session && worker.id() == id;
  };
  return id != continued_ && std::ranges::all_of(workers_, is_in);
}

void World::run_fairly() {
  settle();
  for (int round = 0; round < kFairRounds && wrong_.empty() && !is_at_rest(); ++round) {
    for (std::uint16_t rank = 0; rank < setup_.workers; ++rank) go_on(rank);
    settle();
  }
  const JobId id = registrar_.current();
  const auto knows = [&](const ServerMembership& server) { return server.id() == id; };
  if (!is_at_rest()) fail("not all workers get into a session");
  if (!std::ranges::all_of(servers_, knows)) fail("a server is left behind");
  if (leaf_ != id) fail("the leaf is left behind");
}

/// A program whose session is over starts again.
void World::go_on(std::uint16_t rank) {
  const WorkerMembership& worker = workers_[rank];
  if (is_out(rank)) {
    start_again(rank);
  } else if (worker.state() == State::in_session && worker.id() == continued_) {
    continue_session(rank);
  } else {
    fire(rank);
  }
}

std::string describe(const RegistrationMessage& one) {
  return std::to_string(static_cast<int>(one.kind)) +
         (one.names_server() ? " of server " : " of worker ") + std::to_string(one.member) +
         ", process " + std::to_string(one.incarnation) + ", id " + std::to_string(one.id);
}

template <class Go>
void World::for_each_action(Go&& go) const {
  for (std::size_t i = 0; i < network_.size(); ++i) {
    if (!is_first(i)) continue;
    const std::string name = describe(network_[i].message);
    go((network_[i].late ? "late " : "deliver ") + name,
       [i](World& world) { world.deliver(i, false); });
    if (network_[i].late) continue;
    if (budget_.copies != 0) {
      go("copy " + name, [i](World& world) {
        --world.budget_.copies;
        world.deliver(i, true);
      });
    }
    if (budget_.delays != 0) {
      go("delay " + name, [i](World& world) {
        --world.budget_.delays;
        world.network_[i].late = true;
      });
    }
    if (budget_.losses != 0) {
      go("lose " + name, [i](World& world) {
        --world.budget_.losses;
        world.drop(i);
      });
    }
  }
  for (std::uint16_t rank = 0; rank < setup_.workers; ++rank) {
    const std::string name = " worker " + std::to_string(rank);
    if (is_quiet() || budget_.timers != 0) {
      go("fire" + name, [rank](World& world) {
        if (!world.is_quiet()) --world.budget_.timers;
        world.fire(rank);
      });
    }
    if (is_out(rank)) {
      go("start again" + name, [rank](World& world) { world.start_again(rank); });
    } else if (budget_.restarts != 0) {
      go("restart" + name, [rank](World& world) {
        --world.budget_.restarts;
        world.start_again(rank);
      });
    }
    if (may_continue(rank)) {
      go("continue" + name, [rank](World& world) { world.continue_session(rank); });
    }
    if (budget_.expiries != 0 && member<"joining_">(registrar_)[rank]) {
      go("expire" + name, [rank](World& world) {
        --world.budget_.expiries;
        world.expire(rank);
      });
    }
  }
  if (budget_.switch_restarts != 0) {
    go("restart switch", [](World& world) {
      --world.budget_.switch_restarts;
      world.switch_restarted_ = true;
      world.registrar_ = Registrar(world.registrar_config(IdPool(0, kJobs).at(kDrawn)));
    });
  }
}

// ---- fingerprints

template <class T>
void write_number(std::string& out, T x) {
  out += std::to_string(static_cast<std::uint64_t>(x));
  out += ' ';
}

/// Writes described members, recursively. For a time, writes only whether it has expired.
template <class T>
void write(std::string& out, const T& x) {
  if constexpr (std::is_same_v<T, Time>) {
    write_number(out, x < Time::zero());
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    write_number(out, x);
  } else if constexpr (std::is_same_v<T, std::optional<Time>>) {
    write_number(out, x.has_value());
  } else if constexpr (requires { x.has_value(); }) {
    write_number(out, x.has_value());
    if (x) write(out, *x);
  } else if constexpr (requires { x.size(); }) {
    write_number(out, x.size());
    for (const auto& item : x) write(out, item);
  } else {
    boost::mp11::mp_for_each<Members<T>>(
        [&](auto descriptor) { write(out, x.*descriptor.pointer); });
  }
}

/// The key begins with the link, so that the order between links does not matter.
std::string key_of(const UnderWay& under_way) {
  const RegistrationMessage& one = under_way.message;
  std::string text;
  for (const int digit :
       {int{under_way.late}, int{goes_up(one.kind)}, int{one.names_server()}, int{one.member}}) {
    text += std::to_string(digit) + ' ';
  }
  for (const std::uint64_t field :
       {static_cast<std::uint64_t>(one.kind), static_cast<std::uint64_t>(one.reason),
        std::uint64_t{one.continues}, std::uint64_t{one.id}, std::uint64_t{one.latest_id},
        one.incarnation, std::uint64_t{one.epoch}, std::uint64_t{one.detail}}) {
    write_number(text, field);
  }
  return text;
}

std::string World::key() const {
  std::string out;
  for (const int left :
       {budget_.losses, budget_.copies, budget_.delays, budget_.timers, budget_.restarts,
        budget_.expiries, budget_.continued, budget_.switch_restarts}) {
    write_number(out, left);
  }
  write(out, registrar_);
  for (const WorkerMembership& worker : workers_) {
    write(out, worker);
    write_number(out, worker.config().incarnation);
    write_number(out, worker.config().continues);
  }
  for (const ServerMembership& server : servers_) write(out, server);
  for (const JobId id : {leaf_, continued_}) write_number(out, id);
  std::vector<std::string> messages;
  for (const UnderWay& one : network_) messages.push_back(key_of(one));
  std::ranges::stable_sort(messages, {}, [](const std::string& text) { return text.substr(0, 8); });
  for (const std::string& text : messages) out += text + ';';
  for (const auto& [who, incarnation] : in_session_) {
    write_number(out, who.first);
    write_number(out, who.second);
    write_number(out, incarnation);
  }
  return out;
}

/// A state with the schedule that leads to it.
struct Visited {
  World world;
  std::shared_ptr<const Visited> before;
  std::string action;
};

std::vector<std::string> schedule_to(const Visited* last) {
  std::vector<std::string> actions;
  for (; last->before; last = last->before.get()) actions.push_back(last->action);
  std::ranges::reverse(actions);
  return actions;
}

}  // namespace

RegistrationResult explore_registration(const RegistrationSetup& setup) {
  RegistrationResult result;
  std::deque<std::shared_ptr<const Visited>> left;
  std::unordered_set<std::string> known;
  const auto visit = [&](const World& world, const std::shared_ptr<const Visited>& before,
                         const std::string& action) {
    if (!known.insert(world.key()).second) return;
    ++result.states;
    auto visited = std::make_shared<const Visited>(world, before, action);
    left.push_back(visited);
    World fair = world;
    if (fair.wrong().empty()) fair.run_fairly();
    if (fair.wrong().empty()) return;
    result.wrong = fair.wrong();
    result.schedule = schedule_to(visited.get());
  };
  visit(World(setup), nullptr, "");
  while (!left.empty() && result.wrong.empty()) {
    const auto from = left.front();
    left.pop_front();
    from->world.for_each_action([&](const std::string& name, const auto& action) {
      if (!result.wrong.empty()) return;
      World next = from->world;
      action(next);
      visit(next, from, name);
    });
  }
  return result;
}

RegistrationResult play_registration(const RegistrationSetup& setup, std::uint64_t seed,
                                     int steps) {
  using Action = std::function<void(World&)>;
  RegistrationResult result;
  testing::Random random(seed);
  World world(setup);
  for (int step = 0; step < steps && result.wrong.empty(); ++step) {
    // Most steps are without faults, so that sessions begin in between.
    const bool is_faulty = random.percent(kFaultyPercent);
    std::vector<std::pair<std::string, Action>> actions;
    world.for_each_action([&](const std::string& name, const Action& action) {
      const bool is_usual = name.starts_with("deliver") || name.starts_with("fire") ||
                            name.starts_with("start again");
      if (is_usual || is_faulty) actions.emplace_back(name, action);
    });
    if (actions.empty()) continue;
    const auto last = static_cast<std::uint32_t>(actions.size() - 1);
    const auto& [name, action] = actions[random.between(0, last)];
    action(world);
    ++result.states;
    result.schedule.push_back(name);
    World fair = world;
    if (fair.wrong().empty()) fair.run_fairly();
    result.wrong = fair.wrong();
  }
  return result;
}

}  // namespace ina::exploration
