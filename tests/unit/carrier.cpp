// SPDX-License-Identifier: BSD-3-Clause
// Detection of an interface's carrier, in a separate network namespace.
#include "hw/dpdk/ports/carrier.hpp"

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "hw/dpdk/ports/descriptor.hpp"

namespace ina::ports {
namespace {

constexpr const char* kLoopback = "net_af_packet0,framecnt=512,iface=lo,qpairs=1";

enum : int { kRight, kWrong, kNoNamespace };

void set_up(const char* interface) {
  ifreq request{};
  std::string(interface).copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP;
  const Descriptor any(socket(AF_INET, SOCK_DGRAM, 0));
  ioctl(any.number(), SIOCSIFFLAGS, &request);
}

int look_in_a_namespace() {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return kNoNamespace;
  if (has_carrier(kLoopback)) return kWrong;
  set_up("lo");
  return has_carrier(kLoopback) ? kRight : kWrong;
}

TEST(Carrier, IsThereOnceTheInterfaceIsUp) {
  const pid_t child = fork();
  if (child == 0) _exit(look_in_a_namespace());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == kNoNamespace) GTEST_SKIP() << "no namespaces";
  EXPECT_EQ(status, 0);
}

TEST(Carrier, IsNotThereWithoutTheInterface) {
  EXPECT_FALSE(has_carrier("net_af_packet0,iface=no-such-one"));
  EXPECT_FALSE(has_carrier("net_af_packet0"));
}

TEST(Carrier, OfOtherDriversIsTheirBusiness) { EXPECT_TRUE(has_carrier("net_memif0,role=client")); }

}  // namespace
}  // namespace ina::ports
