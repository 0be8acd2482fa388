// SPDX-License-Identifier: BSD-3-Clause
// A journal has a line for each frame that came to a switch, each of its decisions, each frame that
// left it and each deadline of its program, in order:
//
//   arrival TIME_PS PORT FRAME   PORT: in the order of --port; FRAME: the bytes on the wire
//
//   EVENT JOB PSN AGGREGATOR     EVENT: one of kAggregatorEventNames; after its arrival or expiry
//
//   departure EXIT FRAME         EXIT: forward, multicast or up; after the events
//
//   expiry TIME_PS               a deadline of the program
//
// Bytes are in hexadecimal digits.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "hw/protocol/values.hpp"
#include "hw/protocol/wire/format.hpp"
#include "switch-models/software/software_switch.hpp"

namespace ina::software {

struct Arrival {
  Time at{};
  PortIndex ingress = 0;
  Frame frame;
};

struct Expiry {
  Time at{};
};

struct Decision {
  programs::AggregatorEvent event{};
  JobId job = 0;
  Psn psn = 0;
  std::uint32_t aggregator = 0;
};

struct Departure {
  rmt::Verdict::Exit exit{};  ///< not `drop`
  Frame frame;
};

using Entry = std::variant<Arrival, Decision, Departure, Expiry>;

std::string line_of(wire::Format format, const Arrival& arrival);
std::string line_of(const Decision& decision);
std::string line_of(const Expiry& expiry);
std::string line_of(wire::Format format, const Departure& departure);

/// Parses a line of a journal; nothing if it is invalid in this format. `values`: storage for the
/// values of a frame.
std::optional<Entry> entry_of(std::string_view line, wire::Format format, ValuePool& values);

/// Writes a journal. Observes a switch and its program until both end.
class JournalWriter final : public TrafficObserver, public programs::AggregatorObserver {
 public:
  /// Throws InputError if the file cannot be written, files::NotWritten if it holds something other
  /// than an earlier journal.
  JournalWriter(const std::string& path, wire::Format format);

  void arrived(const Frame& frame, PortIndex ingress, Time now) override;
  void aggregator_event(programs::AggregatorEvent event, JobId job, Psn psn,
                        std::uint32_t aggregator) override;
  void expired(Time now) override;
  void departed(const Frame& frame, rmt::Verdict::Exit exit) override;
  /// Throws std::runtime_error if not everything could be written.
  void close();

 private:
  std::string path_;
  wire::Format format_;
  std::ofstream file_;
};

}  // namespace ina::software
