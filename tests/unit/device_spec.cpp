// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/device_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/support/refusal.hpp"

namespace ina::ports {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::string& text) {
  return refusal_of([&] { DeviceSpec::parse(text); });
}

TEST(DeviceSpec, ReadsAndWritesWhatDpdkReads) {
  const std::string text = "net_memif0,role=server,mac=02:00:00:00:00:01,secret=a=b";
  DeviceSpec spec = DeviceSpec::parse(text);
  EXPECT_EQ(spec.name, "net_memif0");
  EXPECT_TRUE(spec.is_virtual());
  EXPECT_EQ(*spec.find("secret"), "a=b");
  EXPECT_EQ(spec.find("id"), nullptr);
  EXPECT_EQ(spec.text(), text);
  spec.set("role", "client");
  spec.set("id", "3");
  EXPECT_EQ(spec.text(), "net_memif0,role=client,mac=02:00:00:00:00:01,secret=a=b,id=3");
}

TEST(DeviceSpec, TakesThePciAddressOfANic) {
  for (const char* const address : {"0000:01:00.0", "10000:e1:00.7"}) {
    EXPECT_FALSE(DeviceSpec::parse(address).is_virtual());
    EXPECT_EQ(DeviceSpec::parse(address).text(), address);
  }
}

TEST(DeviceSpec, RefusesATextThatNamesNoDevice) {
  for (const char* const text : {"", ",", ",,,", ",iface=eth0"}) {
    EXPECT_THAT(refusal(text), HasSubstr(": found no name; allowed: a virtual device")) << text;
  }
  for (const char* const text : {" ", "\t", "\n", " net_tap0", "net_", "-a", "eth0",
                                 "eth_memif0,role=server", "auxiliary:", "vdev:net_tap0", "01:00.0",
                                 "0000:01:00.8", "0000:01:00", "pci:0000:01:00.0", "bus=pci"}) {
    EXPECT_THAT(refusal(text),
                AllOf(HasSubstr("a name that is not a device's; allowed:"), Not(HasSubstr("\n"))))
        << text;
  }
}

TEST(DeviceSpec, RefusesArgumentsWithoutKeyOrValue) {
  for (const char* const text : {"net_tap0,", "net_tap0,,iface=a", "net_tap0,iface=", "net_tap0,=a",
                                 "net_tap0,iface", "0000:01:00.0,"}) {
    EXPECT_THAT(refusal(text), HasSubstr("; allowed: KEY=VALUE")) << text;
  }
}

TEST(DeviceSpec, RefusesAnArgumentThatIsThereTwice) {
  EXPECT_EQ(refusal("net_memif0,role=client,id=1,role=server"),
            "net_memif0: found role= twice; allowed: once");
}

}  // namespace
}  // namespace ina::ports
