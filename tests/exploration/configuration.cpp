// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/configuration.hpp"

#include <fmt/format.h>

#include <span>
#include <stdexcept>

#include "hw/cluster/systems/all.hpp"
#include "hw/fields/read_number.hpp"
#include "tests/support/cluster_parts.hpp"

namespace ina::exploration {

namespace {

struct Number {
  char letter;
  std::uint8_t lowest;
  std::uint8_t highest;
  std::uint8_t& (*of)(Configuration&);
};

constexpr Number kNumbers[] = {
    {'w', 2, 4, [](Configuration& c) -> std::uint8_t& { return c.workers; }},
    {'l', 0, 2, [](Configuration& c) -> std::uint8_t& { return c.leaves; }},
    {'u', 0, 2, [](Configuration& c) -> std::uint8_t& { return c.upper; }},
    {'g', 0, 1, [](Configuration& c) -> std::uint8_t& { return c.below; }},
    {'v', 1, 2, [](Configuration& c) -> std::uint8_t& { return c.levels; }},
    {'j', 1, 2, [](Configuration& c) -> std::uint8_t& { return c.jobs; }},
    {'y', 1, 2, [](Configuration& c) -> std::uint8_t& { return c.servers; }},
    {'a', 1, 4, [](Configuration& c) -> std::uint8_t& { return c.aggregators; }},
    {'m', 0, 4, [](Configuration& c) -> std::uint8_t& { return c.table; }},
    {'f', 1, 4, [](Configuration& c) -> std::uint8_t& { return c.fragments; }},
    {'n', 1, 2, [](Configuration& c) -> std::uint8_t& { return c.tensors; }},
    {'i', 1, 3, [](Configuration& c) -> std::uint8_t& { return c.iterations; }},
    {'p', 0, 8, [](Configuration& c) -> std::uint8_t& { return c.window; }},
    {'h', 0, 8, [](Configuration& c) -> std::uint8_t& { return c.kept; }},
    {'o', 0, 8, [](Configuration& c) -> std::uint8_t& { return c.overflows; }},
    {'x', 0, 1, [](Configuration& c) -> std::uint8_t& { return c.blocks; }},
    {'s', 0, 1, [](Configuration& c) -> std::uint8_t& { return c.stragglers; }},
    {'k', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.losses; }},
    {'t', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.firings; }},
    {'d', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.copies; }},
    {'r', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.delays; }},
    {'e', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.expiries; }},
    {'q', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.restarts; }},
    {'b', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.reboots; }},
    {'c', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.crashes; }},
    {'z', 0, 9, [](Configuration& c) -> std::uint8_t& { return c.budget.interruptions; }},
};

struct SystemName {
  std::string name;
  cluster::SystemId system;
  policies::CollisionPolicy policy = policies::kDsaPolicy;
};

std::vector<SystemName> make_systems() {
  std::vector<SystemName> systems;
  for (const cluster::SystemId system : testing::every_system()) {
    if (!testing::has_collision_policy(system)) {
      systems.push_back({std::string(cluster::name_of(system)), system});
      continue;
    }
    for (const policies::CollisionPolicy policy : policies::every_policy()) {
      systems.push_back({fmt::format("{}-{}", cluster::name_of(system), policies::name_of(policy)),
                         system, policy});
    }
  }
  return systems;
}

const std::vector<SystemName>& systems() {
  static const std::vector<SystemName> kSystems = make_systems();
  return kSystems;
}

bool expires(const SystemName& system) {
  return testing::shares_aggregators(system.system) &&
         (!testing::has_collision_policy(system.system) || needs_of(system.policy).expires);
}

const cluster::SystemTraits& traits_of(const Configuration& configuration) {
  return cluster::traits_of(configuration.system);
}

/// Names of the systems that satisfy `is`, joined with `between`.
template <class Is>
std::string names_of_systems(std::string_view between, Is is) {
  std::string names;
  for (const SystemName& system : systems()) {
    if (is(system)) names.append(names.empty() ? "" : between).append(system.name);
  }
  return names;
}

[[noreturn]] void reject(std::string_view name, std::string_view what) {
  throw std::invalid_argument(fmt::format("configuration '{}': {}", name, what));
}

std::string_view take_system(std::string_view name, Configuration& configuration) {
  const SystemName* longest = nullptr;  // one name may begin with another
  for (const SystemName& system : systems()) {
    if (!name.starts_with(system.name)) continue;
    if (longest == nullptr || system.name.size() > longest->name.size()) longest = &system;
  }
  if (longest == nullptr) {
    const auto any = [](const SystemName&) { return true; };
    reject(name, "begins with none of " + names_of_systems(", ", any));
  }
  configuration.system = longest->system;
  configuration.policy = longest->policy;
  return name.substr(longest->name.size());
}

void take_number(std::string_view name, std::string_view item, std::string& letters,
                 Configuration& configuration) {
  for (const Number& number : kNumbers) {
    if (item.empty() || item.front() != number.letter) continue;
    unsigned value = 0;
    if (!fields::read_number(item.substr(1), value) || value < number.lowest ||
        value > number.highest) {
      reject(name, fmt::format("'{}' is not {} and a number of {} to {}", item, number.letter,
                               number.lowest, number.highest));
    }
    if (letters.find(number.letter) != std::string::npos) {
      reject(name, fmt::format("'{}' is the second number of {}", item, number.letter));
    }
    letters.push_back(number.letter);
    number.of(configuration) = static_cast<std::uint8_t>(value);
    return;
  }
  reject(name, fmt::format("'{}' begins with none of the letters w l u g v j y a m f n i p h o x s "
                           "k t d r e q b c z",
                           item));
}

/// Prefix of a name that stands for one configuration per collision policy.
constexpr std::string_view kEveryPolicy = "dsa-*";

constexpr std::string_view kBounded[] = {
    // Losses, and timers that fire too early.
    "switchml-w2-j2-a1-f2-k2-t2",
    "switchml-w3-a2-f3-k1-t2",
    // ATP's window in SwitchML, and three results out of order.
    "switchml-w2-a2-f2-n2-i2-p1-k1-t1-s1",
    "switchml-w2-a4-f4-i2-p2-k2-t1",
    "switchml-w2-a4-f4-i2-p4-k1-t1",
    "atp-w2-j2-a1-f1-k2-t2",
    "atp-w2-a1-f2-k2-t2",
    "atp-w3-a1-f2-k1-t2",
    "dsa-*-w2-j2-a1-f1-k2-t2",
    "dsa-*-w2-a1-f2-k2-t2",
    "dsa-priority-w3-a1-f1-k2-t2",
    // With two aggregators, the first and third fragment share one.
    "atp-w2-a4-f3-k2-t1",
    "atp-w3-a4-f2-k2-t1",
    "dsa-*-w2-a4-f3-k2-t1",
    "dsa-priority-w3-a4-f2-k2-t1",
    // Notifications: three or more retransmissions of one worker.
    "dsa-priority-w2-a1-f1-k2-t5",
    // Several tensors and iterations, workers that submit late, results that servers forget.
    "switchml-w2-a1-f1-n2-i2-k2-t3-s1",
    "atp-w2-a1-f2-i2-k1-t2-h1",
    "atp-w2-a4-f2-i2-k1-t2-p1-s1",
    "dsa-priority-w2-a1-f2-i2-k1-t2",
    "dsa-priority-between-jobs-w2-a1-f2-i2-k1-t2",
    "dsa-always-preempt-w2-a1-f1-i2-k2-t4-s1",
    "dsa-priority-w2-a1-f2-i2-k1-t2-h1",
    "dsa-priority-w2-a1-f2-p1-k1-t4",
    // Duplicated and delayed packets.
    "switchml-w2-a1-f2-i2-k1-t2-d1",
    "switchml-w2-a1-f4-k1-t1-r1",
    "atp-w2-a1-f1-k1-t2-d1-r1",
    "atp-w2-a1-f2-k1-t1-d1",
    "dsa-fcfs-w2-a1-f1-k1-t2-d1-r1",
    "dsa-priority-w2-a1-f2-k1-t1-d1",
    "dsa-coin-flip-w2-a1-f2-k1-t1-r1",
    "dsa-priority-between-jobs-w2-a1-f2-k1-t1-r1",
    // Exponents of block floating point, with all of the above.
    "switchml-w2-a1-f2-k2-t3-x1",
    "switchml-w3-a1-f2-k1-t2-x1",
    "switchml-w2-a2-f3-k1-t2-x1",
    "switchml-w2-a3-f2-n2-k1-t1-x1",
    "switchml-w2-a2-f1-n2-i2-k1-t2-x1-s1",
    "switchml-w2-a1-f3-k1-t2-d1-r1-x1",
    "switchml-w2-a2-f3-p2-k1-t2-x1",
    // Sums that overflow, with all of the above.
    "atp-w3-a1-f1-k2-t2-o1",
    "atp-w2-a1-f2-k1-t2-o1",
    "atp-w2-j2-a1-f1-k1-t1-o1",
    "atp-w2-a1-f1-i2-k1-t2-h1-q1-b1-o1",
    "atp-w3-a1-f1-k1-t2-q1-o1",
    "atp-w2-a1-f2-k1-t1-d1-o1",
    "atp-w2-a1-f1-k1-t2-d1-r1-o1",
    // Aggregators that expire, servers that restart, a switch that reboots.
    "atp-w2-j2-a1-f1-k1-t1-e2",
    "atp-w2-a1-f2-k1-t2-d1-e1",
    "atp-w2-a1-f2-k1-t2-q1-b1",
    "atp-w2-a1-f2-i2-k1-t1-h1-q1-b1",
    "atp-w3-a1-f1-k1-t2-q1-b1",
    "dsa-fcfs-w2-j2-a1-f1-k1-t1-e2",
    "dsa-fcfs-w2-a1-f2-k1-t2-d1-e1",
    "dsa-fcfs-w2-a1-f2-k1-t2-q1-b1",
    "dsa-priority-w2-a1-f2-k1-t2-q1-b1",
    "dsa-priority-w2-a1-f1-i2-k1-t2-q1-b1",
    "dsa-always-preempt-w2-a1-f2-k1-t2-q1-b1",
    "dsa-coin-flip-w2-a1-f2-k1-t2-q1-b1",
    "dsa-priority-between-jobs-w2-a1-f2-k1-t2-q1-b1",
    // Jobs that are registered again while frames of theirs are in flight, because a reboot of the
    // switch ends them or because a worker crashes and returns.
    "switchml-w2-a1-f2-i2-k1-t1-d1-b1",
    "switchml-w2-a1-f1-i2-k1-t1-r1-b1",
    "switchml-w2-a2-f2-n2-i2-k1-t1-b2-s1",
    "switchml-w2-a1-f2-k1-t1-b1-c1-x1",
    "switchml-w2-j2-a1-f1-k1-t1-b1-c1",
    "switchml-w3-a1-f1-i2-k1-t1-d1-b1",
    "atp-w2-a1-f2-k1-t1-c1",
    "atp-w2-a1-f1-i2-k1-t1-d1-h1-b1-c1",
    "atp-w2-a1-f1-k1-t1-q1-c1-o1",
    "atp-w2-a2-m1-f2-k0-t1-d1-c1",
    "atp-w2-l2-a1-f1-k1-t1-r1-c1",
    "atp-w2-l1-u1-j2-a1-f1-k0-t0-c2",
    "dsa-*-w2-a1-f1-k1-t1-d1-r1-c1",
    "dsa-fcfs-w2-j2-a1-f1-k0-t1-c1",
    "dsa-priority-w2-a1-f2-i2-k0-t1-q1-b1-c1",
    "dsa-priority-w2-a2-m1-f2-k0-t1-d1-c1",
    "ps-w2-f1-i2-k1-t1-d1-q1-c1",
    "ps-w2-f2-k1-t1-c2",
    // A server whose switches do not aggregate.
    "ps-w2-j2-f1-k2-t2",
    "ps-w2-f2-k2-t2",
    "ps-w3-f1-k2-t2",
    "ps-w2-f4-p2-k1-t1",
    "ps-w2-f2-i2-k1-t2-h1",
    "ps-w2-f1-n2-i2-k1-t2-s1",
    "ps-w2-f1-k1-t2-d1-r1",
    "ps-w2-f2-k1-t1-d1",
    "ps-w2-f2-k1-t2-q1-b1",
    "ps-w2-f1-i2-k1-t2-h1-q1",
    // Two servers per job, each with every second fragment.
    "atp-w2-y2-a1-f2-k2-t2",
    "atp-w3-y2-a1-f2-k1-t1",
    "atp-w2-y2-a1-f4-p2-k1-t1",
    "atp-w2-y2-a1-f2-k1-t1-d1-q1",
    "atp-w2-j2-y2-a1-f1-k1-t1",
    "atp-w2-y2-a1-f2-k1-t1-c1",
    "atp-w2-y2-a2-m1-f2-k1-t1-d1-q1",
    "atp-w2-y2-a2-m1-f2-i2-k1-t1-h1",
    "atp-w2-y2-a4-m2-f3-k1-t1-d1",
    "atp-w2-l1-u1-y2-a1-f2-k1-t1",
    "dsa-*-w2-y2-a1-f2-k2-t1",
    "dsa-priority-w2-y2-a1-f2-k1-t2-q1-b1",
    "dsa-always-preempt-w3-y2-a1-f2-k1-t1",
    "dsa-fcfs-w2-y2-a1-f2-k1-t1-d1-e1",
    "dsa-priority-w2-y2-a2-m1-f2-k1-t1-d1-q1",
    "dsa-priority-w2-l1-u1-y2-a1-f2-k1-t1",
    "ps-w2-y2-f2-k2-t2",
    "ps-w2-y2-f4-p2-k1-t1",
    "ps-w2-y2-f2-k1-t1-d1-q1",
    // All-reduces among workers: early tensors with and without room for them, two jobs, crashes.
    "ring-w2-f2-k2-t3",
    "ring-w2-f4-p2-k1-t2",
    "ring-w2-f2-k1-t1-d1-r1",
    "ring-w3-f3-k1-t1",
    "ring-w4-f4-k1-t0",
    "ring-w2-f2-n2-i2-h1-k1-t1-s1",
    "ring-w2-f2-i2-h1-k1-t2-s1",
    "ring-w3-f2-i2-h1-k1-t1-s1",
    "ring-w2-j2-f2-k1-t1",
    "ring-w2-j2-f1-k1-t1-b1-c1",
    "ring-w3-f2-k1-t1-c1",
    "halving_doubling-w3-f2-k1-t1",
    "halving_doubling-w3-f2-i2-h1-k0-t1-s1",
    "halving_doubling-w4-f2-k1-t1",
    "tree-w3-f2-k1-t1",
    "tree-w4-f1-k1-t1-d1",
    "byteps-w3-f1-k2-t2",
    "byteps-w3-f1-k1-t1-d1-r1",
    "byteps-w3-f3-k1-t0",
    // Racks.
    "atp-w2-l2-a1-f1-k2-t2",
    "atp-w2-l1-u1-a1-f2-k1-t2",
    "atp-w3-l1-u1-a1-f1-k2-t2",
    "atp-w3-l1-u1-a1-f2-k1-t1",
    "atp-w4-l2-a1-f1-k1-t1",
    "atp-w2-l2-j2-a1-f1-k1-t1",
    "atp-w2-l2-a1-f1-k1-t2-d1",
    "atp-w2-l2-v1-a1-f1-k2-t2",
    "atp-w3-l1-u1-v1-a1-f1-k1-t2",
    "atp-w4-l2-v1-a1-f1-k1-t1",
    "atp-w2-l2-a1-f2-i2-k1-t1-h1",
    "atp-w2-l1-u1-j2-a1-f1-k1-t1-e1",
    "atp-w2-l2-a1-f2-k1-t1-q1-b1",
    "atp-w2-l1-u1-a2-f4-p2-k1-t1",
    // SwitchML's racks, whose leaves keep what they sent up until the root's result arrives.
    "switchml-w2-l2-a1-f2-k2-t3",
    "switchml-w2-l1-u1-a1-f2-k2-t2",
    "switchml-w3-l1-u1-a1-f2-k2-t2",
    "switchml-w3-l2-a1-f2-k1-t2",
    "switchml-w4-l2-a1-f1-k2-t2",
    "switchml-w3-l1-u1-a1-f3-k1-t1-d1",
    "switchml-w2-l2-a1-f4-k1-t1-r1",
    "switchml-w2-l2-a1-f2-i2-k1-t1-d1-r1",
    "switchml-w2-l2-a2-f3-n2-k1-t1",
    "switchml-w3-l1-u1-a2-f3-p2-k1-t1",
    "switchml-w2-l1-u1-a2-f1-n2-i2-k1-t1-s1",
    "switchml-w3-l1-u1-a1-f2-k1-t2-x1",
    "switchml-w2-l2-a1-f3-k1-t1-d1-x1",
    "switchml-w2-l2-j2-a1-f1-k1-t1",
    "switchml-w2-l2-a1-f2-k1-t1-b1",
    "switchml-w3-l1-u1-a1-f1-i2-k1-t1-b1-c1",
    // DSA's racks, whose leaves free aggregators at once. Reminders go to leaves and root.
    "dsa-*-w3-l1-u1-a1-f2-k0-t1",
    "dsa-priority-w3-l1-u1-a1-f1-k1-t2",
    "dsa-priority-w2-l2-a1-f1-k2-t2",
    "dsa-priority-w2-l1-u1-a1-f2-k1-t1",
    "dsa-priority-w3-l1-a1-f1-k1-t2-d1",
    "dsa-priority-w4-l2-a1-f1-k1-t1",
    "dsa-fcfs-w3-l1-u1-a1-f1-k1-t1-d1-r1",
    "dsa-priority-w3-l1-u1-a1-f1-i2-k1-t1-h1",
    "dsa-priority-between-jobs-w2-l1-u1-j2-a1-f1-k1-t1",
    "dsa-priority-w3-l1-u1-a1-f1-k1-t2-q1-b1",
    "dsa-priority-w3-l1-u1-a1-f1-k0-t1-d1-c1",
    // Servers under a leaf with workers. Frames of these workers go up to the root and down again.
    "atp-w2-l2-g1-a1-f1-k2-t1",
    "atp-w3-l1-u1-g1-a1-f1-k1-t2",
    "atp-w2-l2-g1-j2-a1-f1-k1-t1",
    "atp-w2-l2-g1-v1-a1-f1-k1-t2",
    "dsa-priority-w2-l2-g1-a1-f1-k1-t2",
    "dsa-priority-w3-l1-u1-g1-a1-f1-k1-t1",
    "dsa-priority-w2-l2-g1-j2-a1-f1-k0-t1",
    // Tables of aggregators in which a collision between two jobs, or with a late copy, moves an
    // entry.
    "atp-w2-j2-a2-m1-f2-k1-t1",
    "atp-w2-j2-a4-m2-f2-k1-t1",
    "atp-w2-a2-m1-f2-k2-t2-d1",
    "atp-w2-a2-m1-f2-i2-k1-t1-d1-h1-q1-b1",
    "atp-w3-a2-m1-f2-k1-t1-d1-q1",
    "atp-w2-a4-m2-f3-k1-t1-d1",
    "atp-w2-a4-m2-f3-k1-t2",
    "atp-w2-a2-m1-f2-k1-t1-d1-q1-o2",
    "atp-w2-l1-u1-a2-m1-f2-k1-t1-d1-q1",
    "atp-w2-l2-a2-m1-f2-k1-t1-d1",
    "atp-w2-l2-v1-a2-m1-f2-k1-t1-d1-q1",
    "dsa-*-w2-j2-a2-m1-f1-k1-t1",
    "dsa-*-w2-a2-m1-f2-k1-t2-d1-q1",
    "dsa-priority-w2-j2-a2-m1-f2-k1-t0",
    "dsa-priority-w2-a2-m1-f2-i2-k1-t1-d1-h1-q1-b1",
    "dsa-priority-w3-a2-m1-f2-k1-t1-d1",
    "dsa-priority-w2-a4-m2-f3-k1-t1-d1",
    // Packets that arrive between two passes of another one, and recirculated packets that get
    // lost.
    "switchml-w2-a1-f2-k1-t1-z2",
    "switchml-w2-a1-f3-k1-t1-d1-r1-z1",
    "switchml-w3-a1-f1-k2-t1-z2",
    "switchml-w2-l2-a1-f1-k1-t1-z2",
    "switchml-w2-a1-f1-k0-t1-b1-z1",
    "atp-w2-a1-f1-k1-t1-z2",
    "atp-w2-a1-f2-k1-t2-z2",
    "atp-w3-a1-f2-k1-t1-z1",
    "atp-w2-j2-a1-f1-k1-t1-z2",
    "atp-w2-a1-f1-k1-t1-d1-r1-z2",
    "atp-w2-a1-f2-k0-t1-e1-b1-z1",
    "atp-w2-l2-a1-f1-k1-t1-z2",
    "dsa-*-w2-a1-f2-k1-t1-z2",
    "dsa-*-w2-j2-a1-f1-k1-t1-z1",
    "dsa-priority-w3-a1-f1-k1-t1-z3",
    "dsa-priority-w2-j2-a1-f1-k1-t1-z3",
    "dsa-always-preempt-w2-j2-a1-f1-k1-t1-z2",
    "dsa-priority-w2-a1-f1-k1-t1-d1-r1-z2",
    "dsa-fcfs-w2-a1-f2-k0-t1-e1-b1-z1",
    "dsa-priority-w2-l2-a1-f1-k1-t1-z2",
    "dsa-fcfs-w4-l2-a1-f1-k1-t1-z2",
    "dsa-priority-w3-l1-u1-a1-f1-k1-t2-z2",
    // Racks whose sums overflow, with losses.
    "atp-w2-l2-a1-f1-k1-t2-o1",
    "atp-w2-l1-u1-a1-f1-k2-t2-o1",
    "atp-w3-l1-u1-a1-f1-k1-t1-o1",
    "atp-w2-l2-a1-f1-k1-t1-q1-b1-o1",
    "atp-w2-l2-v1-a1-f1-k1-t2-o1",
};

constexpr std::string_view kFurther[] = {
    "switchml-w3-a1-f2-k2-t2-z3",
    "atp-w3-a1-f2-k2-t2-z3",
    "atp-w2-j2-a1-f2-k1-t1-z2",
    "dsa-*-w3-a1-f2-k2-t1-z2",
    "dsa-*-w2-j2-a1-f1-k2-t2-z3",
    "dsa-priority-w3-l1-u1-a1-f1-k1-t1-z2",
    "switchml-w3-j2-a1-f2-k2-t2",
    "switchml-w2-a2-f4-k2-t3-d1",
    "switchml-w2-a1-f2-i2-k2-t3-d1-r1",
    "switchml-w3-a1-f3-k1-t2-d1-r1",
    "switchml-w3-a2-f3-k2-t2-x1",
    "switchml-w2-j2-a1-f2-k2-t2-x1",
    "switchml-w2-a2-f3-k2-t2-d1-r1-x1",
    "switchml-w4-l2-a1-f2-k2-t2",
    "switchml-w3-l1-u1-a1-f3-k2-t3-d1-r1",
    "switchml-w4-l2-u1-a1-f2-k1-t2-d1",
    "switchml-w3-l2-u1-a2-f3-k2-t2-x1",
    "switchml-w3-l1-u1-j2-a1-f2-k1-t1",
    "switchml-w2-l2-a1-f2-i2-k1-t2-d1-b2",
    "atp-w2-j2-a1-f2-k1-t1",
    "atp-w2-a1-f3-k2-t2",
    "atp-w3-a1-f2-k2-t2",
    "atp-w3-j2-a2-f1-k2-t2",
    "atp-w2-a1-f2-i2-k1-t3-h1-s1",
    "atp-w2-a1-f2-k1-t2-d1",
    "dsa-*-w2-j2-a1-f1-k2-t3",
    "dsa-priority-w2-j2-a1-f2-k0-t1",
    "dsa-priority-w2-a4-f3-k1-t2",
    "dsa-*-w2-a1-f2-k1-t2-d1",
    "atp-w2-j2-a1-f1-k1-t2-e1-q1-b1",
    "atp-w2-a1-f2-k2-t2-q1-b1",
    "atp-w3-a1-f2-k1-t1-q1-b1",
    "atp-w2-a1-f1-k1-t3-q2-b2",
    "atp-w2-a1-f2-k1-t2-q1-b1-o2",
    "atp-w2-a1-f1-k1-t3-d1-q1-o1",
    "atp-w3-a1-f1-k2-t2-q1-b1-o1",
    "atp-w2-l2-a1-f2-k2-t2",
    "atp-w2-l2-a1-f2-k1-t1-o1",
    "atp-w2-l2-v1-a1-f2-k2-t2",
    "atp-w2-l2-v1-j2-a1-f1-k1-t2",
    "atp-w3-l1-u1-v1-a1-f2-k1-t1-q1-b1",
    "atp-w2-l1-u1-a1-f2-k2-t2-d1",
    "atp-w3-l2-u1-a1-f1-k1-t2-d1",
    "atp-w4-l2-a1-f2-k1-t1",
    "atp-w2-l2-j2-a1-f1-k1-t2",
    "atp-w2-l2-a2-f4-p2-k1-t1",
    "atp-w2-l2-a1-f1-k1-t2-d1-r1",
    "atp-w2-l1-u1-a1-f2-k1-t2-q1-b1",
    "dsa-fcfs-w2-j2-a1-f1-k1-t2-e1-q1-b1",
    "dsa-priority-w2-j2-a1-f1-k1-t2-q1-b1",
    "dsa-priority-w2-a1-f2-k2-t2-q1-b1",
    "dsa-priority-w2-a1-f1-k1-t3-q2-b2",
    "dsa-always-preempt-w2-j2-a1-f1-k1-t2-q1-b1",
    "dsa-coin-flip-w2-j2-a1-f1-k1-t2-q1-b1",
    "dsa-*-w3-l1-u1-a1-f2-k1-t1",
    "dsa-priority-w2-l1-u1-a1-f2-k1-t2",
    "dsa-priority-w3-l1-u1-a1-f1-k1-t2-d1",
    "dsa-priority-w4-l2-a1-f1-k1-t1-d1",
    "dsa-coin-flip-w3-l1-u1-a1-f1-k1-t1-d1-r1",
    "dsa-fcfs-w2-l2-a1-f2-k1-t1-q1-b1",
    "dsa-fcfs-w3-l1-u1-a1-f1-k1-t1-d1-e1",
    "dsa-priority-w2-l2-j2-a1-f1-k1-t1",
    "dsa-always-preempt-w3-l1-u1-j2-a1-f1-k0-t1",
    "atp-w2-a4-m2-f3-k1-t2-d1",
    "dsa-priority-w3-l1-u1-a2-m1-f2-k1-t1-d1-q1",
    "ring-w3-f2-k2-t2",
    "ring-w3-f3-k0-t1-d1",
    "ring-w2-f4-i2-h1-p2-k1-t1-d1-s1",
    "ring-w2-f2-i2-k1-t1-d1-c1",
    "halving_doubling-w4-f4-k0-t1",
    "halving_doubling-w4-f2-k0-t1-d1",
    "tree-w4-f2-k1-t1",
    "tree-w3-f2-i2-h1-k0-t1-s1",
    "byteps-w3-f3-k0-t1",
};

std::vector<std::string> with_every_policy(std::span<const std::string_view> patterns) {
  std::vector<std::string> names;
  for (const std::string_view pattern : patterns) {
    if (!pattern.starts_with(kEveryPolicy)) {
      names.emplace_back(pattern);
      continue;
    }
    for (const policies::CollisionPolicy policy : policies::every_policy()) {
      const std::string_view numbers = pattern.substr(kEveryPolicy.size());
      names.push_back(fmt::format("dsa-{}{}", name_of(policy), numbers));
    }
  }
  return names;
}

}  // namespace

std::vector<std::uint16_t> Configuration::racks() const {
  std::vector<std::uint16_t> racks(workers, leaves);
  const int below = workers - upper;
  for (int rank = 0; leaves > 0 && rank < below; ++rank) {
    racks[static_cast<std::size_t>(rank)] = static_cast<std::uint16_t>(rank * leaves / below);
  }
  return racks;
}

std::size_t Configuration::width() const {
  if (!separates_passes()) return 1;
  return testing::shares_aggregators(system) ? 2 : 4;
}

bool Configuration::loses_jobs_with_switch() const {
  return traits_of(*this).loses_jobs_with_switch;
}

std::uint32_t Configuration::registrations_of_job() const {
  return 1U + budget.crashes + (loses_jobs_with_switch() ? budget.reboots : 0U);
}

Configuration parse_configuration(std::string_view name) {
  Configuration configuration;
  std::string_view rest = take_system(name, configuration);
  std::string letters;
  while (!rest.empty()) {
    if (rest.front() != '-') reject(name, "a '-' must stand before each letter");
    rest.remove_prefix(1);
    const std::string_view item = rest.substr(0, rest.find('-'));
    take_number(name, item, letters, configuration);
    rest.remove_prefix(item.size());
  }
  if (configuration.psns() > 8) {
    reject(name, "more than 8 fragments of a job (f times n times i; with x those of exponents)");
  }
  if (configuration.registrations() > kMostRegistrations) {
    reject(name,
           fmt::format("more than {} registrations of jobs (j times the sum of 1, c{})",
                       kMostRegistrations, configuration.loses_jobs_with_switch() ? " and b" : ""));
  }
  if (configuration.servers > 1 && !traits_of(configuration).has_servers) {
    reject(name, fmt::format("y: {} has no server", traits_of(configuration).name));
  }
  if (configuration.budget.restarts > 0 && !traits_of(configuration).has_servers) {
    reject(name, fmt::format("q: {} has no server", traits_of(configuration).name));
  }
  if (configuration.overflows > 0 && !testing::collects_floats(configuration.system)) {
    reject(name, "o: only atp asks for floats when a sum overflows");
  }
  if (configuration.blocks > 0 && !testing::has_block_floating_point(configuration.system)) {
    reject(name, "x: only switchml has block floating point");
  }
  if (configuration.leaves > 0 && !traits_of(configuration).has_aggregators) {
    reject(name, fmt::format("l: no switch of {} adds up", traits_of(configuration).name));
  }
  if (configuration.upper + configuration.leaves > configuration.workers ||
      (configuration.leaves == 0 && configuration.upper > 0)) {
    reject(name, "each of the l racks needs one of the w workers that are not the u others'");
  }
  if (configuration.below > 0 &&
      (configuration.leaves == 0 || !traits_of(configuration).has_servers)) {
    reject(name, "g: there is no rack (l), or no server to be in one");
  }
  if (configuration.levels == 1 && configuration.leaves == 0) {
    reject(name, "v: without racks (l) there is one level");
  }
  if (configuration.levels == 1 && configuration.system != system_called("atp")) {
    reject(name, "v: only atp's racks' sums may pass the root");
  }
  if (configuration.table > 0 && !testing::shares_aggregators(configuration.system)) {
    reject(name, fmt::format("m: {} has no tables of aggregators", traits_of(configuration).name));
  }
  if (configuration.separates_passes() && !traits_of(configuration).has_aggregators) {
    reject(name, fmt::format("z: {} has no passes", traits_of(configuration).name));
  }
  const SystemName system{"", configuration.system, configuration.policy};
  if (configuration.budget.expiries > 0 && !expires(system)) {
    reject(name, "e: only the aggregators of " + names_of_systems(" and ", expires) + " expire");
  }
  return configuration;
}

std::vector<std::string> bounded_configurations() { return with_every_policy(kBounded); }

std::vector<std::string> further_configurations() {
  std::vector<std::string> names = with_every_policy(kFurther);
  for (const SystemName& system : systems()) {
    for (int choice = 0; choice < 16; ++choice) {
      const auto number = [&](int bit, int low) { return low + (choice >> bit & 1); };
      const bool has_aggregators = cluster::traits_of(system.system).has_aggregators;
      if (!has_aggregators && number(1, 1) != 1) continue;
      const bool hashes = testing::shares_aggregators(system.system);
      const int aggregators = number(1, 1) == 1 ? 1 : hashes ? kTwoOfHash : 2;
      names.push_back(fmt::format("{}-w{}-j{}-a{}-f{}-k2-t1", system.name, number(3, 2),
                                  number(2, 1), aggregators, number(0, 2)));
    }
  }
  return names;
}

}  // namespace ina::exploration
