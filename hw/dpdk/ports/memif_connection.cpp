// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/memif_connection.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <thread>

#include "hw/dpdk/ports/event_thread.hpp"

namespace ina::ports {

namespace {

/// A memif message has 128 bytes and carries at most one file descriptor.
struct Message {
  std::array<std::byte, 256> bytes{};
  std::size_t length = 0;
  Descriptor file{};
};

using Control = std::array<std::byte, CMSG_SPACE(sizeof(int))>;

/// Returns nothing if the other side has gone away.
std::optional<Message> receive(int socket) {
  Message message;
  alignas(cmsghdr) Control control{};
  iovec part{message.bytes.data(), message.bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t length = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  if (length <= 0) return std::nullopt;
  message.length = static_cast<std::size_t>(length);
  const cmsghdr* const sent = CMSG_FIRSTHDR(&header);
  if (sent != nullptr && sent->cmsg_level == SOL_SOCKET && sent->cmsg_type == SCM_RIGHTS) {
    int file = 0;
    std::memcpy(&file, CMSG_DATA(sent), sizeof file);
    message.file = Descriptor(file);
  }
  return message;
}

/// Errors are ignored: a side that has gone away needs no message.
void send(int socket, Message& message) {
  alignas(cmsghdr) Control control{};
  iovec part{message.bytes.data(), message.length};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (message.file) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const sent = CMSG_FIRSTHDR(&header);
    sent->cmsg_level = SOL_SOCKET;
    sent->cmsg_type = SCM_RIGHTS;
    sent->cmsg_len = CMSG_LEN(sizeof(int));
    const int file = message.file.number();
    std::memcpy(CMSG_DATA(sent), &file, sizeof file);
  }
  sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Number of the link that a client requests.
std::optional<std::uint32_t> id_asked_for(const Message& message) {
  constexpr std::uint16_t kInit = 3;
  constexpr std::size_t kIdAt = 4;
  std::uint16_t type = 0;
  std::uint32_t id = 0;
  std::memcpy(&type, message.bytes.data(), sizeof type);
  std::memcpy(&id, message.bytes.data() + kIdAt, sizeof id);
  if (type != kInit) return std::nullopt;
  return id;
}

/// Returns when the driver has read and processed everything that was sent to it.
void wait_until_done(int driver) {
  constexpr std::chrono::microseconds kPoll(20);
  int unread = 0;
  while (ioctl(driver, SIOCOUTQ, &unread) == 0 && unread != 0) {
    std::this_thread::sleep_for(kPoll);
  }
  run_in_event_thread([] {});
}

/// Keeps the link's core, if there is one, out of the driver during its lifetime.
class Withdrawn {
 public:
  explicit Withdrawn(LinkUse* use) : use_(use) {
    if (use_ != nullptr) use_->withdraw();
  }
  ~Withdrawn() {
    if (use_ != nullptr) use_->give_back();
  }
  Withdrawn(const Withdrawn&) = delete;
  Withdrawn& operator=(const Withdrawn&) = delete;

 private:
  LinkUse* use_;
};

}  // namespace

bool MemifConnection::pass_on_from_remote() {
  auto message = receive(remote());
  if (message && use_of_) {
    if (const auto id = id_asked_for(*message)) use_ = use_of_(*id);
  }
  const Withdrawn withdrawn(use_);
  if (message) {
    send(driver(), *message);
    wait_until_done(driver());
    return true;
  }
  shutdown(driver(), SHUT_WR);
  while (receive(driver())) continue;  // the driver closes its end after it has unmapped the memory
  return false;
}

bool MemifConnection::pass_on_from_driver() {
  auto message = receive(driver());
  if (message) send(remote(), *message);
  return message.has_value();
}

}  // namespace ina::ports
