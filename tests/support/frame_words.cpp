// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/frame_words.hpp"

#include <fmt/format.h>

#include <iterator>

namespace ina::testing {

namespace {

std::string in_words(const AggregatorFields& fields, int workers) {
  std::string text = fmt::format(", aggregator {}, bitmap ", fields.index);
  for (int rank = workers; rank-- > 0;) text += (fields.bitmap0 >> rank & 1U) != 0 ? '1' : '0';
  if (fields.bitmap1 != 0) text += fmt::format(", branches {:b}", fields.bitmap1);
  if (fields.next_index != 0) text += fmt::format(", next {}", fields.next_index);
  if (fields.priority != 0) text += fmt::format(", priority {}", fields.priority);
  return text;
}

std::string in_words(const SwitchmlFields& fields, int /* workers */) {
  std::string text = fmt::format(", slot {}, version {:d}", fields.slot, fields.version);
  if (fields.exponents != 0) text += fmt::format(", exponent {}", fields.exponents);
  return text;
}

std::string in_words(const FlowFields& fields, int /* workers */) {
  std::string text = fmt::format(", sequence {}, all before {} came, room for {}", fields.sequence,
                                 fields.acknowledged_before, fields.credit);
  if (fields.ecn_echo) text += ", ECN echo";
  if (fields.acknowledge_now) text += ", to be acknowledged";
  return text;
}

}  // namespace

std::string in_words(const Frame& frame, int workers) {
  static constexpr const char* kKinds[] = {"nothing",  "gradient",         "result",
                                           "reminder", "fragment request", "notification",
                                           "release",  "acknowledgement"};
  static constexpr const char* kFlags[] = {"ecn",    "resend",    "collision", "second level",
                                           "floats", "new index", "partial",   "answer"};
  std::string text = fmt::format(
      "{} of job {}, PSN {}", kKinds[static_cast<std::size_t>(frame.kind)], frame.job, frame.psn);
  text += std::visit([&](const auto& fields) { return in_words(fields, workers); }, frame.fields);
  for (std::size_t i = 0; i < std::size(kFlags); ++i) {
    if ((frame.flags >> i & 1) != 0) text += fmt::format(", {}", kFlags[i]);
  }
  return text;
}

}  // namespace ina::testing
