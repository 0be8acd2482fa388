// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/ina.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "hw/libina/session.hpp"

namespace {

using ina::library::Failure;
using ina::library::Session;

thread_local std::string reason;

constexpr double kJoinSeconds = 60;

// A process has one session, since it has one DPDK environment. The session is not destroyed at
// exit: a child of fork() has a copy of it, but not the thread that the destructor would wait for.
std::mutex mutex;
std::shared_ptr<Session>& session = *new std::shared_ptr<Session>;
bool joining = false;  // whether a thread is joining that has no session yet
std::atomic<pid_t> joined_by = 0;

ina_status fail(ina_status status, const char* why) {
  try {
    reason = why;
  } catch (const std::exception&) {
    reason.clear();
  }
  return status;
}

/// Runs a function's body and turns exceptions into a status.
template <class Body>
ina_status guarded(Body&& body) noexcept {
  try {
    body();
    return INA_OK;
  } catch (const Failure& failure) {
    return fail(failure.status(), failure.what());
  } catch (const ina::processes::InputError& error) {
    return fail(INA_WRONG_INPUT, error.what());
  } catch (const std::exception& error) {
    return fail(INA_TROUBLE, error.what());
  }
}

bool in_child() { return joined_by != 0 && joined_by != getpid(); }

/// Returns nothing in a child of fork(), where the mutex may be locked for ever.
std::shared_ptr<Session> find_session() {
  if (in_child()) return nullptr;
  const std::lock_guard lock(mutex);
  return session;
}

void keep_session(std::shared_ptr<Session> own) {
  const std::lock_guard lock(mutex);
  session = std::move(own);
}

std::shared_ptr<Session> take_session() {
  if (in_child()) return nullptr;
  const std::lock_guard lock(mutex);
  return std::exchange(session, nullptr);
}

void refuse_child() {
  if (!in_child()) return;
  throw Failure(INA_WRONG_INPUT,
                "called in a child of fork(); allowed: the process that called ina_init");
}

std::shared_ptr<Session> existing(std::shared_ptr<Session> found) {
  if (found) return found;
  refuse_child();
  throw Failure(INA_WRONG_INPUT,
                "called without a job; allowed: between ina_init and ina_finalize");
}

std::shared_ptr<Session> current() { return existing(find_session()); }

/// Runs at exit, before the callers' arrays are destroyed.
void give_up() {
  if (const auto left = take_session()) left->stop();
}

/// Marks a thread as joining during its lifetime.
class Joining {
 public:
  Joining() {
    refuse_child();
    const std::lock_guard lock(mutex);
    if (session || joining) {
      throw Failure(INA_WRONG_INPUT, "found a second ina_init; allowed: after ina_finalize");
    }
    if (joined_by == 0 && std::atexit(give_up) != 0) throw std::bad_alloc();
    joined_by = getpid();
    joining = true;
  }
  ~Joining() {
    const std::lock_guard lock(mutex);
    joining = false;
  }
  Joining(const Joining&) = delete;
  Joining& operator=(const Joining&) = delete;
};

void require(bool given, const char* what) {
  if (!given)
    throw Failure(INA_WRONG_INPUT, fmt::format("{}: found NULL; allowed: a pointer", what));
}

/// `how`: further arguments of Session::submit().
template <class Value, class... How>
ina_status submit(const Value* in, Value* out, size_t count, ina_request* request, How... how) {
  return guarded([&] {
    require(request != nullptr, "request");
    require(in != nullptr || count == 0, "in");
    require(out != nullptr || count == 0, "out");
    *request = current()->submit({in, count}, out, how...);
  });
}

template <class Value>
ina_status all_reduce(ina_status (*submit)(const Value*, Value*, size_t, ina_request*),
                      const Value* in, Value* out, size_t count) {
  ina_request request = 0;
  const ina_status submitted = submit(in, out, count, &request);
  return submitted == INA_OK ? ina_wait(request, -1) : submitted;
}

}  // namespace

ina_status ina_init(const char* cluster_file, uint32_t host, const char* device) {
  return ina_init_within(cluster_file, host, device, kJoinSeconds);
}

ina_status ina_init_within(const char* cluster_file, uint32_t host, const char* device,
                           double seconds) {
  return guarded([&] {
    require(cluster_file != nullptr, "cluster_file");
    require(device != nullptr, "device");
    auto own = std::make_shared<Session>(cluster_file, host, device);
    const Joining alone;
    own->join(seconds);
    keep_session(std::move(own));
  });
}

uint32_t ina_rank(void) {
  std::uint32_t rank = 0;
  guarded([&] { rank = current()->rank(); });
  return rank;
}

uint32_t ina_workers(void) {
  std::uint32_t workers = 0;
  guarded([&] { workers = current()->workers(); });
  return workers;
}

ina_status ina_submit_i32(const int32_t* in, int32_t* out, size_t count, ina_request* request) {
  return submit(in, out, count, request, true);
}

ina_status ina_submit_i32_unchecked(const int32_t* in, int32_t* out, size_t count,
                                    ina_request* request) {
  return submit(in, out, count, request, false);
}

ina_status ina_submit_f32(const float* in, float* out, size_t count, ina_request* request) {
  return submit(in, out, count, request);
}

ina_status ina_wait(ina_request request, double seconds) {
  return guarded([&] { current()->wait(request, seconds); });
}

ina_status ina_allreduce_i32(const int32_t* in, int32_t* out, size_t count) {
  return all_reduce(ina_submit_i32, in, out, count);
}

ina_status ina_allreduce_f32(const float* in, float* out, size_t count) {
  return all_reduce(ina_submit_f32, in, out, count);
}

ina_status ina_finalize(double seconds) {
  return guarded([&] { existing(take_session())->leave(seconds); });
}

const char* ina_version(void) { return INA_VERSION; }

const char* ina_error(void) { return reason.c_str(); }
