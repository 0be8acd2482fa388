// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/memif_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/support/private_folder.hpp"
#include "tests/unit/support/refusal.hpp"

namespace ina::ports {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kBothRoles[] = {"server", "client"};

class MemifDevices : public testing::Test {
 protected:
  /// Path of a socket in the folder, which only this user can enter.
  std::string socket() const { return (folder_.path() / "m.sock").string(); }
  static MemifDevice check(const std::string& arguments) {
    return MemifDevice::check(DeviceSpec::parse("net_memif0," + arguments));
  }
  static std::string refusal(const std::string& arguments) {
    return refusal_of([&] { check(arguments); });
  }
  static std::string at(const std::string& role, const std::string& socket) {
    return "role=" + role + ",socket-abstract=no,socket=" + socket;
  }

  PrivateFolder folder_;
};

TEST_F(MemifDevices, MayUseASocketInAPrivateFolder) {
  const MemifDevice server = check(at("server", socket()) + ",id=7,rsize=9,bsize=1664");
  EXPECT_TRUE(server.is_server);
  EXPECT_EQ(server.id, 7U);
  EXPECT_EQ(server.socket, socket());
  EXPECT_FALSE(check(at("client", socket())).is_server);
}

TEST_F(MemifDevices, MayNotUseAnAbstractSocket) {
  for (const std::string role : kBothRoles) {
    const std::string start = "role=" + role;
    EXPECT_THAT(refusal(start), HasSubstr("no socket-abstract=no, that is, an abstract socket"));
    EXPECT_THAT(refusal(start + ",socket=" + socket()), HasSubstr("no socket-abstract=no"));
    for (const char* const word : {"yes", "noyes", "on"}) {
      EXPECT_THAT(
          refusal(start + ",socket=" + socket() + ",socket-abstract=" + word),
          HasSubstr(std::string("socket-abstract=") + word + ", that is, an abstract socket"));
    }
  }
}

TEST_F(MemifDevices, MayNotUseDpdksDefaultPathOrARelativeOne) {
  EXPECT_THAT(refusal("role=server,socket-abstract=no"), HasSubstr("net_memif0: no socket=;"));
  for (const char* const path : {"m.sock", "./m.sock"}) {
    EXPECT_THAT(refusal(at("server", path)), HasSubstr("; allowed: socket=/FOLDER/NAME"));
  }
  EXPECT_THAT(refusal(at("server", folder_.path().string() + "/")),
              HasSubstr("; allowed: socket=/FOLDER/NAME"));
}

TEST_F(MemifDevices, MayNotUseAFolderThatOthersCanEnter) {
  for (const mode_t mode : {0710, 0701, 0755, 0777, 01777}) {
    ASSERT_EQ(chmod(folder_.path().c_str(), mode), 0);
    for (const std::string role : kBothRoles) {
      EXPECT_THAT(refusal(at(role, socket())),
                  HasSubstr("other users can enter " + folder_.path().string()))
          << mode;
    }
  }
  ASSERT_EQ(chmod(folder_.path().c_str(), 0700), 0);
  EXPECT_THAT(refusal(at("server", socket())), IsEmpty());
}

TEST_F(MemifDevices, MayNotUseAFolderThatOthersCanReplace) {
  const std::filesystem::path inner = folder_.path() / "inner";
  ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_THAT(refusal(at("server", inner / "m.sock")),
              HasSubstr("other users can replace folders in " + folder_.path().string()));
  ASSERT_EQ(chmod(folder_.path().c_str(), 01777), 0);  // like /tmp
  EXPECT_THAT(refusal(at("server", inner / "m.sock")), IsEmpty());
}

TEST_F(MemifDevices, MayNotUseAnotherUsersFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown(folder_.path().c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(at("client", socket())), HasSubstr("belongs to user 12345, not to user 0"));
}

TEST_F(MemifDevices, MayNotUseAFolderThatIsNone) {
  EXPECT_THAT(refusal(at("client", "/nowhere/m.sock")), HasSubstr("No such file or directory"));
}

TEST_F(MemifDevices, UseTheFolderToWhichALinkLeadsNow) {
  const std::filesystem::path inner = folder_.path() / "inner";
  ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
  std::filesystem::create_symlink("inner", folder_.path() / "link");
  EXPECT_EQ(check(at("server", folder_.path() / "link" / "m.sock")).socket, inner / "m.sock");
}

TEST_F(MemifDevices, MayNotHaveAPathThatTheSystemCuts) {
  const std::size_t room = 107 - folder_.path().string().size() - 1;
  const std::string longest = folder_.path() / std::string(room, 'x');
  EXPECT_THAT(refusal(at("client", longest)), IsEmpty());
  EXPECT_THAT(refusal(at("client", longest + "x")),
              HasSubstr("path of 108 bytes; allowed: at most 107"));
  EXPECT_THAT(refusal(at("server", longest)), HasSubstr("path of 107 bytes; allowed: at most 102"));
}

/// If DPDK's driver does not know one argument, it uses defaults for all of them. It also accepts
/// "master" instead of "server", which MemifServers would not guard.
TEST_F(MemifDevices, MayNotHaveArgumentsThatDpdkReadsInAnotherWay) {
  const std::string good = ",socket-abstract=no,socket=" + socket();
  EXPECT_THAT(refusal("role=server,socket_abstract=no" + good),
              HasSubstr("net_memif0: socket_abstract=; allowed: role, id, socket,"));
  for (const char* const role : {"master", "slave", "myserver", "Server"}) {
    EXPECT_THAT(refusal(std::string("role=") + role + good),
                HasSubstr("; allowed: server, client"));
  }
  for (const char* const id : {"0x10", "-1", "1x", "4294967296"}) {
    EXPECT_THAT(refusal(std::string("id=") + id + good), HasSubstr("; allowed: 0 to 4294967295"));
  }
}

}  // namespace
}  // namespace ina::ports
