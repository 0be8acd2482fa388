// SPDX-License-Identifier: BSD-3-Clause
// A text that is read as a time, a rate and a size. It is rejected, or its value is within the
// limit and survives writing and reading. After that its text does, too.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "hw/fields/quantity.hpp"
#include "tests/fuzz/require.hpp"

namespace ina::fuzz {
namespace {

template <class Number>
void check(std::string_view text, Number (*parse)(std::string_view), std::string (*format)(Number),
           Number max) {
  Number value{};
  try {
    value = parse(text);
  } catch (const ina::fields::QuantityError& error) {
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
  ina::fuzz::check(text, ina::fields::parse_time, ina::fields::format_time,
                   ina::fields::kMaxTimePs);
  ina::fuzz::check(text, ina::fields::parse_rate, ina::fields::format_rate,
                   ina::fields::kMaxRateBps);
  ina::fuzz::check(text, ina::fields::parse_bytes, ina::fields::format_bytes,
                   ina::fields::kMaxBytes);
  return 0;
}
