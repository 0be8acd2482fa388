// SPDX-License-Identifier: BSD-3-Clause
// A text read as a time, a rate and a size: no quantity, or one within the limit that keeps its
// value, and then its text, when it is written and read again.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ns3-modules/ina-cluster/model/quantity.h"
#include "tests/fuzz/require.hpp"

namespace ina::fuzz {
namespace {

template <class Number>
void check(std::string_view text, Number (*parse)(std::string_view), std::string (*format)(Number),
           Number max) {
  Number value{};
  try {
    value = parse(text);
  } catch (const ns3::QuantityError& error) {
    require(std::strlen(error.what()) > 0, "a refusal says why");
    return;
  }
  require(value >= 0 && value <= max, "the value is within the limit");
  const auto written = format(value);
  require(parse(written) == value, "a quantity that is written is the same");
  require(format(parse(written)) == written, "it has one text");
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ina::fuzz::check(text, ns3::ParseTime, ns3::FormatTime, ns3::MAX_TIME_PS);
  ina::fuzz::check(text, ns3::ParseRate, ns3::FormatRate, ns3::MAX_RATE_BPS);
  ina::fuzz::check(text, ns3::ParseBytes, ns3::FormatBytes, ns3::MAX_BYTES);
  return 0;
}
