// SPDX-License-Identifier: BSD-3-Clause
// Files that a memif server left behind, and files that only look like them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <fstream>

#include "hw/dpdk/ports/memif_device.hpp"
#include "hw/dpdk/ports/server_start.hpp"
#include "tests/unit/support/private_folder.hpp"
#include "tests/unit/support/refusal.hpp"

namespace ina::ports {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Descriptor bind_at(const std::filesystem::path& path, int type) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.native().copy(name.sun_path, sizeof name.sun_path - 1);
  Descriptor bound(socket(AF_UNIX, type, 0));
  EXPECT_EQ(bind(bound.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  return bound;
}

/// Listens until the object is destroyed. The socket file remains, as after SIGKILL.
Descriptor listen_at(const std::filesystem::path& path) {
  Descriptor listener = bind_at(path, SOCK_SEQPACKET);
  EXPECT_EQ(listen(listener.number(), 1), 0);
  return listener;
}

class StaleSockets : public testing::Test {
 protected:
  std::string refusal() const {
    return refusal_of([&] { remove_stale_sockets(socket_); });
  }

  PrivateFolder folder_;
  std::filesystem::path socket_ = folder_.path() / "m.sock";
};

TEST_F(StaleSockets, OfAKilledServerAreRemovedBoth) {
  listen_at(socket_);
  listen_at(of_driver(socket_));
  EXPECT_THAT(refusal(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(StaleSockets, OfAServerThatWasKilledAsItStartedAreRemoved) {
  listen_at(of_driver(socket_));
  EXPECT_THAT(refusal(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(StaleSockets, OfALiveServerStay) {
  const Descriptor server = listen_at(socket_);
  const Descriptor driver = listen_at(of_driver(socket_));
  EXPECT_THAT(refusal(), HasSubstr(socket_.string() + ": another server listens at this socket"));
  EXPECT_TRUE(std::filesystem::is_socket(socket_));
  EXPECT_TRUE(std::filesystem::is_socket(of_driver(socket_)));
}

TEST_F(StaleSockets, OfALiveServerStayAndItNoticesNothing) {
  const Descriptor server = listen_at(socket_);
  EXPECT_THAT(refusal(), HasSubstr("another server listens at this socket"));
  pollfd clients{server.number(), POLLIN, 0};
  EXPECT_EQ(poll(&clients, 1, 0), 0);
}

TEST_F(StaleSockets, OfALiveDriverStay) {
  const Descriptor driver = listen_at(of_driver(socket_));
  EXPECT_THAT(refusal(), HasSubstr(".dpdk: another server listens at this socket"));
  EXPECT_TRUE(std::filesystem::is_socket(of_driver(socket_)));
}

TEST_F(StaleSockets, OfALiveServerOfAnotherKindStay) {
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    const Descriptor server = bind_at(socket_, type);
    EXPECT_THAT(refusal(), HasSubstr("another server listens at this socket"));
    EXPECT_TRUE(std::filesystem::is_socket(socket_));
    std::filesystem::remove(socket_);
  }
}

TEST_F(StaleSockets, OfAServerThatDoesNotListenYetStay) {
  const Descriptor server = bind_at(socket_, SOCK_SEQPACKET);
  EXPECT_THAT(refusal(), HasSubstr("another server listens at this socket"));
  EXPECT_TRUE(std::filesystem::is_socket(socket_));
}

TEST_F(StaleSockets, AreNotFilesOrLinks) {
  for (const auto& path : {socket_, of_driver(socket_)}) {
    std::ofstream(path) << "mine";
    EXPECT_THAT(refusal(), HasSubstr(path.string() + ": found a file that is not a socket"));
    EXPECT_TRUE(std::filesystem::is_regular_file(path));
    std::filesystem::remove(path);
    const std::filesystem::path other = folder_.path() / "other";
    listen_at(other);
    std::filesystem::create_symlink(other, path);
    EXPECT_THAT(refusal(), HasSubstr(path.string() + ": found a file that is not a socket"));
    EXPECT_TRUE(std::filesystem::is_socket(other));
    EXPECT_TRUE(std::filesystem::is_symlink(path));
    std::filesystem::remove(path);
    std::filesystem::remove(other);
  }
}

TEST_F(StaleSockets, HaveOneStarterAtATime) {
  {
    const StartLock first(socket_);
    EXPECT_THAT(
        refusal_of([&] { const StartLock second(socket_); }),
        HasSubstr("another server is starting at this socket; allowed: one server per socket"));
    const StartLock elsewhere(folder_.path() / "other.sock");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_THAT(refusal_of([&] { const StartLock again(socket_); }), IsEmpty());
}

TEST_F(StaleSockets, HaveAnotherStarterAfterOneWasKilled) {
  std::ofstream(socket_.native() + ".lock") << "";
  { const StartLock next(socket_); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace ina::ports
