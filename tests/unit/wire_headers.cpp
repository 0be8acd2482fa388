// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/headers.hpp"

#include <gtest/gtest.h>

#include <boost/mp11.hpp>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"

namespace ina::wire {
namespace {

using Layout = std::vector<std::pair<std::string, int>>;  // field, bits

template <class Header>
Layout layout() {
  Layout fields;
  boost::mp11::mp_for_each<boost::describe::describe_members<Header, boost::describe::mod_public>>(
      [&](auto member) {
        const int bits = 8 * static_cast<int>(sizeof(std::declval<Header>().*member.pointer));
        fields.emplace_back(member.name, bits);
      });
  return fields;
}

TEST(WireHeaders, FieldsStandAsWritten) {
  EXPECT_EQ(layout<EthernetHeader>(),
            (Layout{{"destination", 48}, {"source", 48}, {"ether_type", 16}}));
  EXPECT_EQ(layout<Ipv4Header>(), (Layout{{"version_and_length", 8},
                                          {"traffic_class", 8},
                                          {"total_length", 16},
                                          {"identification", 16},
                                          {"fragment", 16},
                                          {"time_to_live", 8},
                                          {"protocol", 8},
                                          {"checksum", 16},
                                          {"source", 32},
                                          {"destination", 32}}));
  EXPECT_EQ(
      layout<UdpHeader>(),
      (Layout{{"source_port", 16}, {"destination_port", 16}, {"length", 16}, {"checksum", 16}}));
  EXPECT_EQ(
      layout<SwitchmlHeader>(),
      (Layout{
          {"job", 8}, {"worker", 8}, {"version_and_slot", 16}, {"offset", 32}, {"exponents", 16}}));
  EXPECT_EQ(layout<AtpHeader>(), (Layout{{"kind", 8},
                                         {"flags", 8},
                                         {"job", 16},
                                         {"psn", 32},
                                         {"aggregator_index", 32},
                                         {"bitmap0", 32},
                                         {"bitmap1", 32},
                                         {"fan_in_degree0", 8},
                                         {"fan_in_degree1", 8},
                                         {"worker", 16}}));
  EXPECT_EQ(layout<DsaHeader>(), (Layout{{"kind", 8},
                                         {"flags", 8},
                                         {"job", 16},
                                         {"psn", 32},
                                         {"aggregator_index", 32},
                                         {"bitmap0", 32},
                                         {"priority", 16},
                                         {"branch", 16},
                                         {"fan_in_degree0", 8},
                                         {"fan_in_degree1", 8},
                                         {"worker", 16}}));
  EXPECT_EQ(layout<PsHeader>(), (Layout{{"kind", 8},
                                        {"flags", 8},
                                        {"job", 16},
                                        {"psn", 32},
                                        {"bitmap0", 32},
                                        {"branch", 16},
                                        {"worker", 16}}));
}

TEST(WireHeaders, EveryFieldIsDescribed) {
  const auto bits = [](const Layout& fields) {
    int total = 0;
    for (const auto& field : fields) total += field.second;
    return total;
  };
  EXPECT_EQ(bits(layout<EthernetHeader>()), 8 * 14);
  EXPECT_EQ(bits(layout<Ipv4Header>()), 8 * 20);
  EXPECT_EQ(bits(layout<UdpHeader>()), 8 * 8);
  EXPECT_EQ(bits(layout<SwitchmlHeader>()), 8 * 10);
  EXPECT_EQ(bits(layout<AtpHeader>()), 8 * 24);
  EXPECT_EQ(bits(layout<DsaHeader>()), 8 * 24);
  EXPECT_EQ(bits(layout<PsHeader>()), 8 * 16);
}

TEST(WireHeaders, FramesHaveThePapersLengths) {
  EXPECT_EQ(frame_bytes(Format::switchml, 32), 180);
  EXPECT_EQ(frame_bytes(Format::switchml, 64), 308);
  EXPECT_EQ(frame_bytes(Format::switchml, 256), 1076);
  EXPECT_EQ(frame_bytes(Format::switchml, 366), 1516);
  EXPECT_EQ(frame_bytes(Format::atp, 62), 306);
  EXPECT_EQ(frame_bytes(Format::dsa, 62), 306);
  EXPECT_EQ(frame_bytes(Format::dsa, 0), 58);
  EXPECT_EQ(frame_bytes(Format::ps, 62), 306);
  EXPECT_EQ(frame_bytes(Format::ps, 0), 58);
}

TEST(Addressing, IsTheCrcOfJobAndPsnAsTheyStandInTheHeader) {
  // Computed with Python: zlib.crc32(bytes.fromhex("0001" "00000002")), and crc32 of "00000005".
  EXPECT_EQ(aggregator_index(1, 2, 0xffffffff), 0x62ace93fU);
  EXPECT_EQ(AggregatorHash(1, 0xffffffff).rehash(5), 0x512e2b93U);
}

TEST(Addressing, StaysInRangeAndSpreads) {
  std::vector<int> hits(100);
  for (Psn psn = 0; psn < 10000; ++psn) ++hits.at(aggregator_index(3, psn, 100));
  for (const int hit : hits) {
    EXPECT_GT(hit, 50);
    EXPECT_LT(hit, 200);
  }
}

TEST(Addressing, JobsDoNotShareTheirSequence) {
  int equal = 0;
  for (Psn psn = 0; psn < 1000; ++psn) {
    equal += aggregator_index(1, psn, 1000) == aggregator_index(2, psn, 1000) ? 1 : 0;
  }
  EXPECT_LT(equal, 20);
}

}  // namespace
}  // namespace ina::wire
