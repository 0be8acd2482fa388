// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/hex.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "hw/fields/read_number.hpp"
#include "hw/files/requested_file.hpp"
#include "hw/processes/input_error.hpp"
#include "hw/protocol/wire/codec.hpp"

namespace ina::software {

namespace {

using fields::read_number;

using Exit = rmt::Verdict::Exit;
using Fields = std::vector<std::string_view>;

constexpr std::string_view kArrival = "arrival";
constexpr std::string_view kDeparture = "departure";
constexpr std::string_view kExpiry = "expiry";
/// In the order of Exit. No frame departs with the first one.
constexpr std::array<std::string_view, 4> kDepartureNames = {"", "forward", "multicast", "up"};

std::string in_digits(wire::Format format, const Frame& frame) {
  std::vector<std::byte> bytes(frame.bytes);
  const std::size_t length = wire::encode(format, frame, bytes);
  const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
  std::string digits(2 * length, '0');
  boost::algorithm::hex_lower(first, first + length, digits.begin());
  return digits;
}

std::optional<Frame> frame_of(std::string_view digits, wire::Format format, ValuePool& values) {
  std::vector<unsigned char> bytes;
  try {
    boost::algorithm::unhex(digits, std::back_inserter(bytes));
  } catch (const boost::algorithm::hex_decode_error&) {
    return std::nullopt;
  }
  return wire::decode(format, std::as_bytes(std::span(bytes)), values);
}

/// Parses a time in picoseconds.
std::optional<Time> time_of(std::string_view text) {
  Time::rep at = 0;
  if (!read_number(text, at) || at < 0) return std::nullopt;
  return Time(at);
}

std::optional<Arrival> arrival_of(const Fields& fields, wire::Format format, ValuePool& values) {
  if (fields.size() != 4) return std::nullopt;
  Arrival arrival;
  const auto at = time_of(fields[1]);
  if (!at || !read_number(fields[2], arrival.ingress)) return std::nullopt;
  auto frame = frame_of(fields[3], format, values);
  if (!frame) return std::nullopt;
  arrival.at = *at;
  arrival.frame = std::move(*frame);
  return arrival;
}

std::optional<Departure> departure_of(const Fields& fields, wire::Format format,
                                      ValuePool& values) {
  if (fields.size() != 3 || fields[1].empty()) return std::nullopt;
  const auto* const exit = std::find(kDepartureNames.begin(), kDepartureNames.end(), fields[1]);
  if (exit == kDepartureNames.end()) return std::nullopt;
  auto frame = frame_of(fields[2], format, values);
  if (!frame) return std::nullopt;
  return Departure{static_cast<Exit>(exit - kDepartureNames.begin()), std::move(*frame)};
}

std::optional<Expiry> expiry_of(const Fields& fields) {
  const auto at = fields.size() == 2 ? time_of(fields[1]) : std::nullopt;
  if (!at) return std::nullopt;
  return Expiry{*at};
}

std::optional<Decision> decision_of(const Fields& fields) {
  const auto& names = programs::kAggregatorEventNames;
  const auto* const event = std::find(names.begin(), names.end(), fields.front());
  Decision decision{static_cast<programs::AggregatorEvent>(event - names.begin())};
  if (event == names.end() || fields.size() != 4 || !read_number(fields[1], decision.job) ||
      !read_number(fields[2], decision.psn) || !read_number(fields[3], decision.aggregator)) {
    return std::nullopt;
  }
  return decision;
}

}  // namespace

std::string line_of(wire::Format format, const Arrival& arrival) {
  return fmt::format("{} {} {} {}", kArrival, arrival.at.count(), arrival.ingress,
                     in_digits(format, arrival.frame));
}

std::string line_of(const Decision& decision) {
  return fmt::format("{} {} {} {}",
                     programs::kAggregatorEventNames[static_cast<std::size_t>(decision.event)],
                     decision.job, decision.psn, decision.aggregator);
}

std::string line_of(const Expiry& expiry) {
  return fmt::format("{} {}", kExpiry, expiry.at.count());
}

std::string line_of(wire::Format format, const Departure& departure) {
  return fmt::format("{} {} {}", kDeparture,
                     kDepartureNames[static_cast<std::size_t>(departure.exit)],
                     in_digits(format, departure.frame));
}

std::optional<Entry> entry_of(std::string_view line, wire::Format format, ValuePool& values) {
  Fields fields;
  boost::algorithm::split(fields, line, [](char c) { return c == ' '; });
  if (fields.front() == kArrival) return arrival_of(fields, format, values);
  if (fields.front() == kDeparture) return departure_of(fields, format, values);
  if (fields.front() == kExpiry) return expiry_of(fields);
  return decision_of(fields);
}

JournalWriter::JournalWriter(const std::string& path, wire::Format format)
    : path_(path), format_(format) {
  const files::RequestedFile ours("--journal", path, kArrival);  // the first word of a journal
  file_.open(path);
  if (!file_) throw processes::InputError(path + ": " + std::strerror(errno));
}

void JournalWriter::arrived(const Frame& frame, PortIndex ingress, Time now) {
  file_ << line_of(format_, Arrival{now, ingress, frame}) << '\n';
}

void JournalWriter::aggregator_event(programs::AggregatorEvent event, JobId job, Psn psn,
                                     std::uint32_t aggregator) {
  file_ << line_of({event, job, psn, aggregator}) << '\n';
}

void JournalWriter::expired(Time now) { file_ << line_of(Expiry{now}) << '\n'; }

void JournalWriter::departed(const Frame& frame, Exit exit) {
  file_ << line_of(format_, Departure{exit, frame}) << '\n';
}

void JournalWriter::close() {
  file_.close();
  if (!file_) throw std::runtime_error(path_ + " cannot be written: " + std::strerror(errno));
}

}  // namespace ina::software
