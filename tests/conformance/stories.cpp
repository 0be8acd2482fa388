// SPDX-License-Identifier: BSD-3-Clause
// Each story of tests/vectors/stories, told to the data-plane programs: after every packet the
// registers hold, and the packet that leaves is, what the story says.
#include <gtest/gtest.h>

#include <boost/algorithm/hex.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "hw/protocol/wire/codec.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"
#include "tests/exploration/archive.hpp"

namespace ina {
namespace {

using Json = nlohmann::json;
using exploration::member;

constexpr std::uint32_t kAggregators = 16;

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& file :
       std::filesystem::directory_iterator(INA_SOURCE_DIR "/tests/vectors/stories")) {
    found.push_back(file.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::byte> bytes_of(const std::string& digits) {
  std::vector<unsigned char> bytes;
  boost::algorithm::unhex(digits, std::back_inserter(bytes));
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

std::string digits_of(wire::Protocol protocol, const Frame& frame) {
  std::vector<std::byte> bytes(frame.bytes);
  wire::encode(protocol, frame, bytes);
  const auto* const first = reinterpret_cast<const unsigned char*>(bytes.data());
  std::string digits;
  boost::algorithm::hex_lower(first, first + bytes.size(), std::back_inserter(digits));
  return digits;
}

template <class Cell>
Json told(const Cell& cell) {
  return cell;
}
Json told(const Time& time) { return time.count(); }
Json told(const programs::TaskId& task) {
  return task.valid ? Json{task.job, task.psn} : Json("free");
}

/// A cell of a register array, as stories tell it.
template <class Array>
Json cell_of(const Array& array, std::uint32_t index) {
  return told(array.peek(index));
}
template <class Mode>
Json cell_of(rmt::ValueRegisters<Mode>& values, std::uint32_t row) {
  const std::int32_t* const first = member<"rows_">(values) + row * member<"stride_">(values);
  return std::vector<std::int32_t>(first, first + values.width());
}

/// A cell of the array of a program that has this name without the underscore.
template <class Program>
Json cell_of(Program& program, const std::string& array, std::uint32_t index) {
  Json cell;
  boost::mp11::mp_for_each<exploration::Members<Program>>([&](auto descriptor) {
    if (array + "_" == descriptor.name) cell = cell_of(program.*descriptor.pointer, index);
  });
  return cell;
}

template <class Program>
class Listener {
 public:
  Listener(const Json& story, wire::Protocol protocol, std::size_t width, Program program)
      : story_(story), protocol_(protocol), pool_(width), program_(std::move(program)) {
    for (const auto& [id, job] : story.at("jobs").items()) {
      program_.install_job(
          static_cast<JobId>(std::stoul(id)),
          {static_cast<std::uint16_t>(job.at("workers").size()), job.value("server", HostId{0}),
           job.value("first_slot", 0U), job.value("slots", 0U)});
    }
  }

  void listen() {
    for (const Json& step : story_.at("steps")) {
      SCOPED_TRACE(step.at("says").get<std::string>());
      take(step);
      for (const auto& [array, cells] : step.at("registers").items()) {
        for (const auto& [index, cell] : cells.items()) {
          EXPECT_EQ(cell_of(program_, array, static_cast<std::uint32_t>(std::stoul(index))), cell)
              << array << ' ' << index;
        }
      }
    }
  }

 private:
  void take(const Json& step) {
    auto frame = wire::decode(protocol_, bytes_of(step.at("frame")), pool_);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->source, step.at("ingress"));
    const rmt::Verdict verdict =
        program_.process(*frame, std::chrono::microseconds(step.at("at_us")));
    const Json& out = step.at("out");
    if (verdict.exit == rmt::Verdict::Exit::drop) {
      EXPECT_TRUE(out.is_null()) << "nothing leaves";
      return;
    }
    ASSERT_FALSE(out.is_null()) << "leaves: " << digits_of(protocol_, *frame);
    EXPECT_EQ(digits_of(protocol_, *frame), out.at("frame"));
    const bool multicast = verdict.exit == rmt::Verdict::Exit::multicast;
    const Json& workers = story_.at("jobs").at(std::to_string(frame->job)).at("workers");
    EXPECT_EQ(multicast ? workers : Json{frame->destination}, out.at("hosts"));
  }

  const Json& story_;
  wire::Protocol protocol_;
  ValuePool pool_;
  Program program_;
};

class Story : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Story, IsWhatTheProgramDoes) {
  using rmt::Checked;
  const Json story = Json::parse(std::ifstream(GetParam()));
  constexpr std::size_t kSwitchmlWidth = wire::kSwitchmlValues[0];
  constexpr std::size_t kWidth = wire::kFragmentValues;
  const std::string system = story.at("system");
  if (system == "switchml") {
    using Program = programs::SwitchmlProgram<Checked>;
    Listener(story, wire::Protocol::switchml, kSwitchmlWidth, Program(kAggregators, kSwitchmlWidth))
        .listen();
  } else if (system == "atp") {
    using Program = programs::AtpProgram<Checked>;
    Listener(story, wire::Protocol::atp, kWidth, Program({kAggregators, kWidth})).listen();
  } else {
    ASSERT_EQ(system, "dsa");
    using Program = programs::DsaProgram<policies::Priority, Checked>;
    Listener(story, wire::Protocol::dsa, kWidth, Program(kAggregators, kWidth, {})).listen();
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Story, ::testing::ValuesIn(files()), [](const auto& info) {
  std::string name = info.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ina
