// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hw/cluster/random_stream.hpp"
#include "hw/cluster/traffic/size_distribution.hpp"
#include "hw/protocol/time.hpp"

namespace ina::cluster::traffic {

/// Kinds of background traffic between hosts. The hosts may also run jobs.
enum class PatternKind : std::uint8_t {
  bulk,      ///< TCP at full speed, of a given size or without end
  on_off,    ///< UDP at a rate, with pauses
  arrivals,  ///< TCP flows of random sizes at random times between random hosts
  incast,    ///< several TCP flows to one host at the same time, repeatedly
};
/// Names in the order of PatternKind.
inline constexpr std::array<std::string_view, 4> kPatternKindNames = {"bulk", "on_off", "arrivals",
                                                                      "incast"};
constexpr std::string_view name_of(PatternKind kind) {
  return kPatternKindNames[static_cast<std::size_t>(kind)];
}

/// A traffic pattern. Hosts are given by their numbers in the topology. Fields that the kind does
/// not use keep their defaults.
struct Pattern {
  PatternKind kind = PatternKind::bulk;
  std::vector<std::uint32_t> from;  ///< hosts that send flows
  std::vector<std::uint32_t> to;    ///< hosts that receive flows; for arrivals equal to `from`
  std::uint64_t bytes = 0;          ///< bytes per flow; 0: without end
  Time start{};
  Time interval{};           ///< incast: time between two bursts; 0: only one burst
  SizeDistribution sizes;    ///< arrivals: sizes of the flows
  std::vector<double> load;  ///< arrivals: bytes per second from each host
};

/// A flow between two machines.
struct Flow {
  std::uint64_t number = 0;  ///< in the order of start times
  std::size_t pattern = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;  ///< 0: without end
  Time start{};

  bool operator==(const Flow&) const = default;
};

/// Generates the flows of several patterns one by one, in the order of start times. The sequence
/// may be infinite.
class FlowSchedule {
 public:
  /// `seed`: seed of the run.
  FlowSchedule(std::vector<Pattern> patterns, std::uint64_t seed);

  /// The next flow; empty if there are no more.
  std::optional<Flow> next();

  const std::vector<Pattern>& patterns() const { return patterns_; }

 private:
  /// The next flow of a pattern, and the state that determines its later flows.
  struct Source {
    RandomStream random;
    std::optional<Flow> flow;
    std::size_t sender = 0;  ///< index of the flow's sender in Pattern::from
  };

  Source first_of(std::size_t pattern, std::uint64_t seed) const;
  void advance(Source& source) const;
  void draw(Source& source) const;

  std::vector<Pattern> patterns_;
  std::vector<Source> sources_;  // by pattern
  std::uint64_t next_number_ = 0;
};

}  // namespace ina::cluster::traffic
