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

/// What other hosts than a job's, or the same ones, send each other besides.
enum class PatternKind : std::uint8_t {
  bulk,      ///< as fast as TCP sends, a size or without an end
  on_off,    ///< UDP at a rate, with pauses
  arrivals,  ///< TCP flows of random sizes at random times between random hosts
  incast,    ///< several TCP flows to one host at one time, again and again
};
/// In the order of PatternKind.
inline constexpr std::array<std::string_view, 4> kPatternKindNames = {"bulk", "on_off", "arrivals",
                                                                      "incast"};
constexpr std::string_view name_of(PatternKind kind) {
  return kPatternKindNames[static_cast<std::size_t>(kind)];
}

/// Some traffic. Machines are numbered as those of the topology; what does not belong to the kind
/// stays at its default.
struct Pattern {
  PatternKind kind = PatternKind::bulk;
  std::vector<std::uint32_t> from;  ///< each sends a flow
  std::vector<std::uint32_t> to;    ///< one; of arrivals those of `from`
  std::uint64_t bytes = 0;          ///< of a flow; 0: without an end
  Time start{};
  Time interval{};           ///< of incast: until the next; 0: there is none
  SizeDistribution sizes;    ///< of arrivals
  std::vector<double> load;  ///< of arrivals: bytes in a second from each host
};

/// From one machine to another.
struct Flow {
  std::uint64_t number = 0;  ///< in the order of their starts
  std::size_t pattern = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;  ///< 0: without an end
  Time start{};

  bool operator==(const Flow&) const = default;
};

/// All flows of some patterns, in the order of their starts, one by one: there may be no last one.
class FlowSchedule {
 public:
  /// `seed`: of the run.
  FlowSchedule(std::vector<Pattern> patterns, std::uint64_t seed);

  /// Nothing: there are no more.
  std::optional<Flow> next();

  const std::vector<Pattern>& patterns() const { return patterns_; }

 private:
  /// What comes next of a pattern.
  struct Source {
    RandomStream random;
    std::optional<Flow> flow;
    std::size_t sender = 0;  ///< whose flow that is, of those of the pattern
  };

  Source first_of(std::size_t pattern, std::uint64_t seed) const;
  void advance(Source& source) const;
  void draw(Source& source) const;

  std::vector<Pattern> patterns_;
  std::vector<Source> sources_;  // by pattern
  std::uint64_t next_number_ = 0;
};

}  // namespace ina::cluster::traffic
