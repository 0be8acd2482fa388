// SPDX-License-Identifier: BSD-3-Clause
// The devices that DPDK may probe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/dpdk/ports/eal.hpp"
#include "tests/unit/support/refusal.hpp"

namespace ina::ports {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

const std::string kNoAuxiliary = "auxiliary:";
const std::string kNoVmbus = "vmbus:00000000-0000-0000-0000-000000000000";

/// Values of an option.
std::vector<std::string> values_of(const std::string& option,
                                   const std::vector<std::string>& arguments) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == option) values.push_back(arguments[i + 1]);
  }
  return values;
}

TEST(EalArguments, VirtualDevicesLeaveEveryBusAlone) {
  const auto arguments = eal_arguments({{"net_ring0", "net_tap0,iface=a"}});
  EXPECT_THAT(arguments, Contains("--no-pci"));
  EXPECT_THAT(values_of("--vdev", arguments), IsEmpty());  // devices are plugged in later
  EXPECT_THAT(values_of("-a", arguments), UnorderedElementsAre(kNoAuxiliary, kNoVmbus));
}

TEST(EalArguments, ANicIsTheOnlyOneThatDpdkMayTake) {
  const auto arguments = eal_arguments({{"net_ring0", "0000:01:00.0"}});
  EXPECT_THAT(arguments, Not(Contains("--no-pci")));
  EXPECT_THAT(values_of("--vdev", arguments), IsEmpty());
  EXPECT_THAT(values_of("-a", arguments),
              UnorderedElementsAre(kNoAuxiliary, kNoVmbus, "0000:01:00.0"));
}

TEST(EalArguments, AnEmptyDeviceIsRefusedBeforeDpdkStarts) {
  for (const char* const device : {"", " ", ",", "eth_memif0,role=server"}) {
    EXPECT_THAT(refusal_of([&] { eal_arguments({{"net_ring0", device}}); }), Not(IsEmpty()));
  }
}

}  // namespace
}  // namespace ina::ports
