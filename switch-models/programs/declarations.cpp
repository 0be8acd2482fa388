// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/declarations.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/wire/headers.hpp"

namespace ina::programs {
namespace {

using rmt::Declaration;
using rmt::PassDeclaration;
using rmt::RegisterDeclaration;
using rmt::Step;
using rmt::TableDeclaration;

constexpr unsigned kBitmapBits = wire::kMaxWorkersPerSwitch;
constexpr unsigned kJobBits = 16;
constexpr unsigned kPortBits = 9;  // as in TNA
/// Ports, verdict and marks of a packet, in addition to its headers.
constexpr std::size_t kMetadataBits = 160;

template <class... Headers>
constexpr std::size_t phv_bits(std::size_t values) {
  return 8 * (sizeof(Headers) + ...) + 32 * values + kMetadataBits;
}

/// Finds a worker's bit in a bitmap. There is one entry per worker. An entry matches if the packet
/// and the bitmap have the worker's bit.
TableDeclaration bit_match(std::string name) {
  return {.name = std::move(name),
          .entries = wire::kMaxWorkersPerSwitch,
          .key_bits = 2 * kBitmapBits,
          .action_bits = 8,
          .ternary = true};
}

/// Decides whether a packet begins a row, joins a row, or is too late, from the previous bitmap and
/// one bit.
TableDeclaration first_match(std::string name) {
  return {.name = std::move(name),
          .entries = 3,
          .key_bits = kBitmapBits + 8,
          .action_bits = 8,
          .ternary = true};
}

/// Admitted senders (MemberTable): an entry for each worker and job.
TableDeclaration members(unsigned action_bits) {
  return {.name = "members",
          .entries = wire::kMaxJobs * wire::kMaxWorkersPerSwitch,
          .key_bits = kPortBits + kJobBits + 8,
          .action_bits = action_bits};
}

/// Admitted senders of results to a leaf of SwitchML, one entry for each job and version.
const TableDeclaration kRoots{.name = "roots",
                              .entries = std::size_t{2} * wire::kMaxJobs,
                              .key_bits = kPortBits + 8 + 1,
                              .action_bits = 2 * 16 + 32 + 16};

/// The port of a destination.
const TableDeclaration kRoutes{
    .name = "routes", .entries = 1024, .key_bits = 48, .action_bits = kPortBits};

/// Admitted ports of registration messages by their addresses, from hosts and to hosts.
const TableDeclaration kRegistrationPaths{
    .name = "registration paths", .entries = 2 * kRoutes.entries, .key_bits = kPortBits + 2 * 48};
const PassDeclaration kRegistration{.name = "registration",
                                    .steps = {{.of = "registration paths"}, {.of = "routes"}}};

/// At a leaf, the port to the root of each job.
const TableDeclaration kRootsOfJobs{.name = "roots of jobs",
                                    .entries = wire::kMaxJobs,
                                    .key_bits = 8 + kJobBits,
                                    .action_bits = kPortBits};

/// The task <job, PSN> of each aggregator. An action can compare twice and return one word. For a
/// gradient, the pair `task` tests whether the aggregator is free and returns the job, and the copy
/// `task.psn` compares the PSN. A packet that frees an aggregator compares both words of the pair.
std::vector<RegisterDeclaration> task_registers(std::size_t aggregators, unsigned actions) {
  return {
      {.name = "task", .cells = aggregators, .bits = 64, .actions = actions, .match = members(8)},
      {.name = "task.psn", .cells = aggregators, .bits = 32, .actions = 2}};
}
const Step kTakeOrFindTask{.of = "task", .comparisons = 1};
const Step kFreeTask{.of = "task", .comparisons = 2};
const Step kTaskPsn{.of = "task.psn", .needs = {"task"}, .comparisons = 1};

/// Selects the action on an array of values, by 8 bits and further keys.
TableDeclaration what_to_do(unsigned more_bits) {
  return {
      .name = "update", .entries = 6, .key_bits = 8 + more_bits, .action_bits = 8, .ternary = true};
}

/// Values that saturate at the limits of int32 (ATP A.2). Each ALU needs both of its comparisons
/// for the limits of the sum, so values are not paired. The table that selects the action detects
/// values of the packet that are at a limit. An ALU begins a sum, adds to it, returns it, or
/// exchanges it (DSA).
RegisterDeclaration value_registers(std::size_t aggregators, std::size_t passes,
                                    std::size_t values) {
  return {.name = "values",
          .cells = aggregators * passes,
          .bits = 32,
          .count = static_cast<unsigned>((values + passes - 1) / passes),
          .actions = 4,
          .match = what_to_do(32)};
}
constexpr unsigned kSticky = 2;

/// Removes the array from the program.
void remove(Declaration& program, const std::string& array) {
  std::erase_if(program.registers, [&](const auto& one) { return one.name == array; });
  for (PassDeclaration& pass : program.passes) {
    std::erase_if(pass.steps, [&](const Step& step) { return step.of == array; });
  }
}

/// Adds tables that count the bits of the bitmap for the decision on the priority: one table per
/// half of the bitmap. The second table adds to the result of the first.
void count_contributions(Declaration& program) {
  constexpr unsigned kHalf = kBitmapBits / 2;
  for (const char* name : {"contributions", "contributions.high"}) {
    program.tables.push_back(
        {.name = name, .entries = std::size_t{1} << kHalf, .key_bits = kHalf, .action_bits = 8});
  }
  std::vector<Step>& steps = program.passes.front().steps;
  const auto priority = std::ranges::find(steps, "priority", &Step::of);
  priority->needs.emplace_back("contributions.high");
  steps.insert(priority, {{.of = "contributions", .needs = {"bitmap"}},
                          {.of = "contributions.high", .needs = {"contributions"}}});
}

/// The arrays of programs/second_half.hpp. The second half has two words of 32 bits, its generation
/// and its bitmap. An action compares the generation.
const Step kGeneration{.of = "generation", .needs = {"task.psn"}};
const Step kSecondHalf{.of = "second half", .needs = {"further passes"}, .comparisons = 1};
/// Selects the first action of each further pass of a packet.
const TableDeclaration kFurtherPasses{
    .name = "further passes", .entries = 4, .key_bits = 16, .ternary = true};

/// Adds the second pass of a packet, and the pass that fetches the first half of a sum. `task`:
/// accesses to the packet's task. `exit`: tables of a packet that leaves.
void add_second_half(Declaration& program, std::size_t aggregators, const std::vector<Step>& task,
                     const std::string& marks, const std::vector<Step>& exit) {
  const auto add_pass = [&](std::string name, const std::vector<Step>& steps) {
    PassDeclaration pass{
        .name = std::move(name), .steps = {{.of = "further passes"}}, .resubmitted_bits = 64};
    pass.steps.insert(pass.steps.end(), task.begin(), task.end());
    pass.steps.insert(pass.steps.end(), steps.begin(), steps.end());
    pass.steps.insert(pass.steps.end(), exit.begin(), exit.end());
    program.passes.push_back(std::move(pass));
  };
  program.tables.push_back(kFurtherPasses);
  program.registers.push_back(
      {.name = "generation", .cells = aggregators, .bits = 16, .actions = 3});
  program.registers.push_back(
      {.name = "second half", .cells = aggregators, .bits = 64, .actions = 3});
  add_pass("second half",
           {kSecondHalf, {.of = "values", .needs = {"second half"}, .comparisons = kSticky}});
  add_pass("fetch first half", {{.of = "generation", .comparisons = 1},
                                {.of = marks},
                                {.of = "values", .needs = {"generation"}}});
}

}  // namespace

Declaration declare_switchml(std::size_t slots, std::size_t values, bool collects_marks) {
  const bool one_pass = adds_in_one_pass(values);
  const auto words =
      static_cast<unsigned>(one_pass ? std::max(values, kSwitchmlPairs) : kSwitchmlPairs);
  Declaration program{
      .name = "switchml",
      .registers = {{.name = "latest", .cells = slots, .bits = 32, .actions = 2},
                    {.name = "seen", .cells = slots, .bits = 64, .actions = 4},
                    {.name = "marks", .cells = 2 * slots, .bits = 8, .actions = 2},
                    {.name = "exponents",
                     .cells = 2 * slots,
                     .bits = 16,
                     .actions = 3,
                     .match = first_match("exponent")},
                    {.name = "count",
                     .cells = 2 * slots,
                     .bits = 8,
                     .actions = 3,
                     .match = bit_match("again")},
                    {.name = "values",
                     .cells = 2 * slots,
                     .bits = one_pass ? 32U : 64U,
                     .count = words,
                     .actions = one_pass ? 3U : 4U,
                     .match = what_to_do(8)}},
      .tables = {members(2 * 16 + kBitmapBits + 2 * 8 + kPortBits), kRoots, kRegistrationPaths,
                 kRoutes},
      .passes =
          {{.name = "update",
            .steps = {{.of = "members"},
                      {.of = "latest", .index_from = "members", .comparisons = 1},
                      {.of = "seen", .needs = {"latest"}, .index_from = "members"},
                      {.of = "marks", .needs = {"seen"}, .index_from = "members"},
                      {.of = "exponents",
                       .needs = {"seen", "latest"},
                       .index_from = "members",
                       .comparisons = 1},
                      {.of = "count",
                       .needs = {"seen", "latest"},
                       .index_from = "members",
                       .comparisons = 1},
                      {.of = "values", .needs = {"count"}, .index_from = "members"},
                      {.of = "routes"}}},
           {.name = "result at a leaf",
            .steps = {{.of = "roots"},
                      {.of = "latest", .index_from = "roots", .comparisons = 2},
                      {.of = "marks", .needs = {"latest"}, .index_from = "roots"},
                      {.of = "exponents", .needs = {"latest"}, .index_from = "roots"},
                      {.of = "count", .needs = {"latest"}, .index_from = "roots", .comparisons = 1},
                      {.of = "values", .needs = {"count"}, .index_from = "roots"}}},
           kRegistration},
      .phv_bits =
          phv_bits<wire::EthernetHeader, wire::Ipv4Header, wire::UdpHeader, wire::SwitchmlHeader>(
              one_pass ? values : kSwitchmlPassValues),
      .multicast_groups = wire::kMaxJobs};
  if (!collects_marks) remove(program, "marks");
  if (!one_pass) {
    program.passes.push_back(
        {.name = "harvest",
         .steps = {{.of = "members"},
                   {.of = "latest", .index_from = "members", .comparisons = 2},
                   {.of = "values", .needs = {"latest"}, .index_from = "members"}}});
  }
  return program;
}

Declaration declare_atp(std::size_t aggregators, std::size_t passes, std::size_t values) {
  Declaration program{
      .name = "atp",
      .registers = task_registers(aggregators, 2),
      .tables = {kRegistrationPaths, kRootsOfJobs, kRoutes},
      .passes = {{.name = "gradient",
                  .steps = {kTakeOrFindTask,
                            kTaskPsn,
                            {.of = "timestamp", .needs = {"task.psn"}},
                            {.of = "bitmap", .needs = {"task.psn"}},
                            kGeneration,
                            {.of = "ecn", .needs = {"task.psn"}},
                            {.of = "counter", .needs = {"bitmap"}},
                            {.of = "values", .needs = {"counter"}, .comparisons = kSticky},
                            {.of = "roots of jobs"},
                            {.of = "routes", .needs = {"roots of jobs"}}}},
                 {.name = "resend",
                  .steps = {kFreeTask,
                            kTaskPsn,
                            {.of = "bitmap", .needs = {"task.psn"}},
                            kGeneration,
                            {.of = "ecn", .needs = {"task.psn"}},
                            {.of = "values", .needs = {"bitmap"}, .comparisons = kSticky},
                            {.of = "routes"}}},
                 {.name = "parameter",
                  .steps = {kFreeTask,
                            kTaskPsn,
                            {.of = "timestamp", .needs = {"task.psn"}, .comparisons = 1},
                            {.of = "routes"}}},
                 {.name = "expired", .steps = {{.of = "task"}, {.of = "routes"}}},
                 kRegistration},
      .phv_bits = phv_bits<wire::EthernetHeader, wire::Ipv4Header, wire::AtpHeader>(
          (values + passes - 1) / passes),
      .multicast_groups = wire::kMaxJobs};
  program.registers.insert(program.registers.end(),
                           {{.name = "timestamp", .cells = aggregators, .bits = 32, .actions = 2},
                            {.name = "bitmap", .cells = aggregators, .bits = 32, .actions = 2},
                            {.name = "ecn", .cells = aggregators, .bits = 8, .actions = 3},
                            {.name = "counter",
                             .cells = aggregators,
                             .bits = 8,
                             .actions = 2,
                             .match = bit_match("again")},
                            value_registers(aggregators, passes, values)});
  if (passes == kTwoPasses) {
    add_second_half(program, aggregators, {}, "ecn", {{.of = "roots of jobs"}, {.of = "routes"}});
  } else {
    remove(program, "generation");
  }
  return program;
}

Declaration declare_dsa(std::size_t aggregators, const policies::PolicyNeeds& policy,
                        JoinPriority join, std::size_t passes, std::size_t values) {
  const bool raises = join == JoinPriority::raise;
  Step priority{.of = "priority",
                .needs = {policy.stamps() ? "timestamp" : "task.psn"},
                .comparisons = std::max(policy.comparisons, raises ? 1U : 0U)};
  if (raises) priority.needs.push_back("bitmap");  // a duplicate does not raise the priority
  Step take_psn = kTaskPsn;
  if (policy.orders_tasks) ++take_psn.comparisons;
  const Step route{.of = "routes", .needs = {"roots of jobs"}};
  Declaration program{
      .name = "dsa",
      .registers = task_registers(aggregators, 4),
      // Finds the last contribution.
      .tables = {bit_match("verdict"),
                 // Sets the headers and destinations of complete, evicted and fetched sums.
                 {.name = "destinations",
                  .entries = std::size_t{3} * wire::kMaxJobs,
                  .key_bits = 8 + 32,
                  .action_bits = 48 + 32 + 3 * 8 + 16},
                 kRegistrationPaths,
                 kRootsOfJobs,
                 kRoutes},
      .passes = {{.name = "gradient",
                  .steps = {kTakeOrFindTask,
                            take_psn,
                            {.of = "timestamp",
                             .needs = {"task.psn"},
                             .comparisons = policy.expires ? 1U : 0U},
                            {.of = "bitmap", .needs = {"task.psn"}},
                            kGeneration,
                            {.of = "swapped", .needs = {"task.psn"}},
                            priority,
                            {.of = "verdict", .needs = {"bitmap"}},
                            {.of = "marks", .needs = {"bitmap"}},
                            {.of = "values", .needs = {"verdict"}, .comparisons = kSticky},
                            {.of = "destinations", .needs = {"verdict"}},
                            {.of = "roots of jobs", .needs = {"destinations"}},
                            route}},
                 {.name = "swap",
                  .steps = {{.of = "task"},
                            {.of = "task.psn"},
                            {.of = "timestamp"},
                            {.of = "priority"},
                            {.of = "bitmap"},
                            {.of = "generation"},
                            {.of = "swapped"},
                            {.of = "marks"},
                            {.of = "values", .comparisons = kSticky},
                            {.of = "destinations"},
                            {.of = "roots of jobs"},
                            route},
                  .resubmitted_bits = 64},
                 {.name = "reminder",
                  .steps = {kFreeTask,
                            kTaskPsn,
                            {.of = "bitmap", .needs = {"task.psn"}},
                            kGeneration,
                            {.of = "marks", .needs = {"task.psn"}},
                            {.of = "values", .needs = {"task.psn"}},
                            {.of = "destinations"},
                            {.of = "roots of jobs"},
                            route}},
                 {.name = "result", .steps = {kFreeTask, kTaskPsn, {.of = "routes"}}},
                 kRegistration},
      .phv_bits = phv_bits<wire::EthernetHeader, wire::Ipv4Header, wire::DsaHeader>(
          (values + passes - 1) / passes),
      .multicast_groups = wire::kMaxJobs};
  program.registers.insert(
      program.registers.end(),
      {{.name = "timestamp", .cells = aggregators, .bits = 32, .actions = 2},
       {.name = "priority", .cells = aggregators, .bits = 16, .actions = raises ? 3U : 2U},
       {.name = "bitmap", .cells = aggregators, .bits = 32, .actions = 3},
       {.name = "marks",
        .cells = aggregators,
        .bits = 8,
        .actions = 3,
        .match = bit_match("again")},
       value_registers(aggregators, passes, values)});
  if (!policy.stamps()) remove(program, "timestamp");
  if (policy.contributions) count_contributions(program);
  if (passes == kTwoPasses) {
    program.registers.push_back({.name = "swapped", .cells = aggregators, .bits = 8, .actions = 3});
    add_second_half(program, aggregators, {kFreeTask, kTaskPsn}, "marks",
                    {{.of = "destinations"}, {.of = "roots of jobs"}, route});
  } else {
    remove(program, "generation");
    remove(program, "swapped");
  }
  return program;
}

}  // namespace ina::programs
