// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/journal.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/algorithm/hex.hpp>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "hw/dpdk/endpoints/input_error.hpp"
#include "hw/protocol/wire/codec.hpp"

namespace ina::software {

namespace {

constexpr std::string_view kArrival = "arrival ";
constexpr std::size_t kMostFrameBytes = 1514;

}  // namespace

std::string line_of(wire::Protocol protocol, const Arrival& arrival) {
  std::array<std::byte, kMostFrameBytes> bytes{};
  const std::size_t length = wire::encode(protocol, arrival.frame, bytes);
  const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
  std::string hex(2 * length, '0');
  boost::algorithm::hex_lower(first, first + length, hex.begin());
  return fmt::format("{}{} {} {}", kArrival, arrival.at.count(), arrival.ingress, hex);
}

std::string line_of(programs::AggregatorEvent event, JobId job, Psn psn, std::uint32_t aggregator) {
  return fmt::format("{} {} {} {}",
                     programs::kAggregatorEventNames[static_cast<std::size_t>(event)], job, psn,
                     aggregator);
}

bool is_arrival(std::string_view line) { return line.starts_with(kArrival); }

std::optional<Arrival> arrival_of(std::string_view line, wire::Protocol protocol,
                                  ValuePool& values) {
  std::istringstream fields{std::string(line.substr(kArrival.size()))};
  Time::rep at = 0;
  Arrival arrival;
  std::string hex;
  std::vector<unsigned char> bytes;
  if (!(fields >> at >> arrival.ingress >> hex) || !fields.eof()) return std::nullopt;
  try {
    boost::algorithm::unhex(hex, std::back_inserter(bytes));
  } catch (const boost::algorithm::hex_decode_error&) {
    return std::nullopt;
  }
  auto frame = wire::decode(protocol, std::as_bytes(std::span(bytes)), values);
  if (!frame) return std::nullopt;
  arrival.at = Time(at);
  arrival.frame = std::move(*frame);
  return arrival;
}

JournalWriter::JournalWriter(const std::string& path, wire::Protocol protocol)
    : path_(path), protocol_(protocol), file_(path) {
  if (!file_) throw endpoints::InputError(path + ": " + std::strerror(errno));
}

void JournalWriter::arrived(const Frame& frame, HostId ingress, Time now) {
  file_ << line_of(protocol_, {now, ingress, frame}) << '\n';
}

void JournalWriter::aggregator_event(programs::AggregatorEvent event, JobId job, Psn psn,
                                     std::uint32_t aggregator) {
  file_ << line_of(event, job, psn, aggregator) << '\n';
}

void JournalWriter::close() {
  file_.close();
  if (!file_) throw std::runtime_error(path_ + " cannot be written: " + std::strerror(errno));
}

}  // namespace ina::software
