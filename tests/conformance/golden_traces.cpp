// SPDX-License-Identifier: BSD-3-Clause
// Plays each golden trace of tests/vectors/golden_traces to the data-plane programs. After every
// packet the registers and the outgoing packet must equal the golden trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/conformance/golden_trace_programs.hpp"

namespace ina {
namespace {

using golden_traces::Json;
using golden_traces::TraceSwitch;

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& file :
       std::filesystem::directory_iterator(INA_SOURCE_DIR "/tests/vectors/golden_traces")) {
    found.push_back(file.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

template <class Program>
class Listener {
 public:
  Listener(const Json& golden_trace, wire::Format format, TraceSwitch& at, Program& program)
      : golden_trace_(golden_trace),
        format_(format),
        at_(at),
        pool_(golden_trace.at("values_per_packet").get<std::size_t>()),
        program_(program) {}

  void listen() {
    for (const Json& step : golden_trace_.at("steps")) {
      SCOPED_TRACE(step.at("says").get<std::string>());
      take(step);
      if (program_.separates_passes()) continue;  // its registers differ
      for (const auto& [array, cells] : step.at("registers").items()) {
        for (const auto& [index, cell] : cells.items()) {
          const auto place = static_cast<std::uint32_t>(std::stoul(index));
          EXPECT_EQ(golden_traces::cell_of(program_, array, place), cell) << array << ' ' << index;
        }
      }
    }
  }

 private:
  void take(const Json& step) {
    auto frame = wire::decode(format_, golden_traces::bytes_of(step.at("frame")), pool_);
    ASSERT_TRUE(frame);
    const auto ingress = step.at("ingress").get<HostId>();
    ASSERT_TRUE(at_.admit(*frame, ingress));
    const rmt::Verdict verdict =
        at_.process(*frame, ingress, std::chrono::microseconds(step.at("at_us")));
    EXPECT_EQ(golden_traces::out_of(at_, format_, *frame, verdict), step.at("out"));
  }

  const Json& golden_trace_;
  wire::Format format_;
  TraceSwitch& at_;
  ValuePool pool_;
  Program& program_;
};

class GoldenTrace : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTrace, IsWhatTheProgramDoes) {
  const Json golden_trace = Json::parse(std::ifstream(GetParam()));
  golden_traces::with_program(golden_trace,
                              [&](wire::Format format, TraceSwitch& at, auto& program) {
                                Listener(golden_trace, format, at, program).listen();
                              });
}

TEST_P(GoldenTrace, HasTheFramesThatSeparatePassesGiveIfNothingComesInBetween) {
  const Json golden_trace = Json::parse(std::ifstream(GetParam()));
  golden_traces::with_program<rmt::CheckedSeparate>(
      golden_trace, [&](wire::Format format, TraceSwitch& at, auto& program) {
        Listener(golden_trace, format, at, program).listen();
      });
}

INSTANTIATE_TEST_SUITE_P(Every, GoldenTrace, ::testing::ValuesIn(files()), [](const auto& info) {
  std::string name = info.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ina
