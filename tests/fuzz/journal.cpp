// SPDX-License-Identifier: BSD-3-Clause
// A line of a journal of DSA. It is rejected, or its content survives writing and reading.
#include <cstdint>
#include <string>
#include <string_view>

#include "switch-models/software/journal.hpp"
#include "tests/fuzz/require.hpp"

namespace ina::fuzz {
namespace {

constexpr auto kFormat = wire::Format::dsa;

struct Writer {
  std::string operator()(const software::Decision& decision) const {
    return software::line_of(decision);
  }
  std::string operator()(const software::Expiry& expiry) const { return software::line_of(expiry); }
  template <class Entry>
  std::string operator()(const Entry& entry) const {
    return software::line_of(kFormat, entry);
  }
};

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ina;
  static ValuePool pool(wire::kFragmentValues);
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (const auto entry = software::entry_of(line, fuzz::kFormat, pool)) {
    const std::string written = std::visit(fuzz::Writer{}, *entry);
    const auto again = software::entry_of(written, fuzz::kFormat, pool);
    fuzz::require(again && again->index() == entry->index(), "what was written can be read");
    fuzz::require(std::visit(fuzz::Writer{}, *again) == written, "it says the same");
  }
  fuzz::require(pool.taken() == 0, "no buffer stays behind");
  return 0;
}
