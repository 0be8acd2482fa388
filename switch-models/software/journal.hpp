// SPDX-License-Identifier: BSD-3-Clause
// A journal is a text file that records, in order, each frame that arrived at a switch, each event
// of its aggregators, each frame that left, and each deadline of its program, one per line:
//
//   arrival TIME_PS PORT FRAME   PORT: index in the order of --port; FRAME: the bytes on the wire
//
//   EVENT JOB PSN AGGREGATOR     EVENT: one of kAggregatorEventNames; follows its arrival or expiry
//
//   departure EXIT FRAME         EXIT: forward, multicast or up; follows the events
//
//   expiry TIME_PS               a deadline of the program has passed
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

/// Parses a line of a journal. Returns nothing if the line is invalid, or its frame has a different
/// format. `values`: storage for the frame's values.
std::optional<Entry> entry_of(std::string_view line, wire::Format format, ValuePool& values);

/// Writes a journal. It observes a switch and its program, and must outlive both.
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
