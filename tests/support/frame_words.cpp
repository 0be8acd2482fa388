// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/frame_words.hpp"

#include <fmt/format.h>

#include <iterator>

namespace ina::testing {

std::string in_words(const Frame& frame, int workers) {
  static constexpr const char* kKinds[] = {"nothing",  "gradient",         "result",
                                           "reminder", "fragment request", "notification",
                                           "release",  "acknowledgement"};
  static constexpr const char* kFlags[] = {
      "ecn",       "resend",  "collision", "second level", "version or floats",
      "new index", "partial", "answer"};
  std::string text = fmt::format("{} of job {}, PSN {}, aggregator {}, bitmap ",
                                 kKinds[static_cast<std::size_t>(frame.kind)], frame.job, frame.psn,
                                 frame.aggregator_index);
  for (int rank = workers; rank-- > 0;) text += (frame.bitmap0 >> rank & 1U) != 0 ? '1' : '0';
  if (frame.bitmap1 != 0) text += fmt::format(", branches {:b}", frame.bitmap1);
  if (frame.priority != 0) text += fmt::format(", priority {}", frame.priority);
  if (frame.exponents != 0) text += fmt::format(", exponent {}", frame.exponents);
  for (std::size_t i = 0; i < std::size(kFlags); ++i) {
    if ((frame.flags >> i & 1) != 0) text += fmt::format(", {}", kFlags[i]);
  }
  return text;
}

}  // namespace ina::testing
