// SPDX-License-Identifier: BSD-3-Clause
// What came to a switch and what it decided, line by line in the order of both:
//   arrival TIME_PS HOST FRAME        FRAME: its bytes on the wire, in hexadecimal digits
//   EVENT JOB PSN AGGREGATOR          EVENT: of kAggregatorEventNames; follows its arrival
#pragma once

#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "hw/protocol/values.hpp"
#include "hw/protocol/wire/limits.hpp"
#include "switch-models/software/software_switch.hpp"

namespace ina::software {

struct Arrival {
  Time at{};
  HostId ingress = 0;
  Frame frame;
};

std::string line_of(wire::Protocol protocol, const Arrival& arrival);
std::string line_of(programs::AggregatorEvent event, JobId job, Psn psn, std::uint32_t aggregator);

/// Whether a line is of an arrival.
bool is_arrival(std::string_view line);
/// The arrival of such a line; nothing if it is malformed.
std::optional<Arrival> arrival_of(std::string_view line, wire::Protocol protocol,
                                  ValuePool& values);

/// Writes a journal. Observes a switch and its program, until the end of both.
class JournalWriter final : public ArrivalObserver, public programs::AggregatorObserver {
 public:
  /// Throws InputError if the file cannot be written.
  JournalWriter(const std::string& path, wire::Protocol protocol);

  void arrived(const Frame& frame, HostId ingress, Time now) override;
  void aggregator_event(programs::AggregatorEvent event, JobId job, Psn psn,
                        std::uint32_t aggregator) override;
  /// Throws std::runtime_error if not all of it could be written.
  void close();

 private:
  std::string path_;
  wire::Protocol protocol_;
  std::ofstream file_;
};

}  // namespace ina::software
