// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/traffic/flow_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hw/protocol/units.hpp"

namespace ina::cluster::traffic {

namespace {

/// First stream of traffic, beyond the streams of all jobs and faults, so that traffic changes none
/// of their draws.
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 40;

/// Index of the share into which a number from 0 to 1 falls; the shares need not sum to 1.
std::size_t pick(const std::vector<double>& shares, double number) {
  double left = number * std::accumulate(shares.begin(), shares.end(), 0.0);
  std::size_t at = 0;
  while (at + 1 < shares.size() && left >= shares[at]) left -= shares[at++];
  return at;
}

}  // namespace

FlowSchedule::FlowSchedule(std::vector<Pattern> patterns, std::uint64_t seed)
    : patterns_(std::move(patterns)) {
  for (std::size_t i = 0; i < patterns_.size(); ++i) sources_.push_back(first_of(i, seed));
}

FlowSchedule::Source FlowSchedule::first_of(std::size_t pattern, std::uint64_t seed) const {
  const Pattern& of = patterns_[pattern];
  Source source{.random = RandomStream(kFirstStream + pattern, seed), .flow = Flow()};
  source.flow->pattern = pattern;
  source.flow->start = of.start;
  source.flow->bytes = of.bytes;
  if (of.kind == PatternKind::arrivals) {
    draw(source);
  } else {
    source.flow->from = of.from.front();
    source.flow->to = of.to.front();
  }
  return source;
}

std::optional<Flow> FlowSchedule::next() {
  Source* earliest = nullptr;
  for (Source& source : sources_) {
    const bool is_earlier =
        source.flow && (earliest == nullptr || source.flow->start < earliest->flow->start);
    if (is_earlier) earliest = &source;
  }
  if (earliest == nullptr) return std::nullopt;
  Flow flow = *earliest->flow;
  flow.number = next_number_++;
  advance(*earliest);
  return flow;
}

void FlowSchedule::advance(Source& source) const {
  const Pattern& of = patterns_[source.flow->pattern];
  if (of.kind == PatternKind::arrivals) {
    draw(source);
    return;
  }
  source.sender = (source.sender + 1) % of.from.size();
  source.flow->from = of.from[source.sender];
  if (source.sender != 0) return;
  if (of.interval == Time{}) {
    source.flow.reset();
  } else {
    source.flow->start += of.interval;
  }
}

/// Draws the next arrival of a Poisson process, between two different hosts, uniformly.
void FlowSchedule::draw(Source& source) const {
  const Pattern& of = patterns_[source.flow->pattern];
  const double all = std::accumulate(of.load.begin(), of.load.end(), 0.0);
  const double mean_ps = kPsPerS * of.sizes.mean_bytes() / all;
  source.flow->start += Time(std::llround(-std::log(source.random.uniform()) * mean_ps));
  const std::size_t from = pick(of.load, source.random.uniform());
  const auto others = static_cast<double>(of.from.size() - 1);
  const auto other = static_cast<std::size_t>(source.random.uniform() * others);
  source.flow->from = of.from[from];
  source.flow->to = of.from[other < from ? other : other + 1];
  source.flow->bytes = of.sizes.bytes_at(source.random.uniform());
}

}  // namespace ina::cluster::traffic
