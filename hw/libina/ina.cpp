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

constexpr double kLinkPatienceSeconds = 10;

// DPDK's environment is one a process, and so is this. It is not destroyed with other objects at
// exit: a child that fork() made has the session too, but not the thread that this would wait for.
std::mutex mutex;
std::shared_ptr<Session>& session = *new std::shared_ptr<Session>;
std::shared_ptr<Session>& unjoined = *new std::shared_ptr<Session>;  // what failed to join
std::atomic<pid_t> joined_by = 0;

ina_status fail(ina_status status, const char* why) {
  try {
    reason = why;
  } catch (const std::exception&) {
    reason.clear();
  }
  return status;
}

/// Runs a function's body and turns what it throws into a status.
template <class Body>
ina_status guarded(Body&& body) noexcept {
  try {
    body();
    return INA_OK;
  } catch (const Failure& failure) {
    return fail(failure.status(), failure.what());
  } catch (const ina::endpoints::InputError& error) {
    return fail(INA_WRONG_INPUT, error.what());
  } catch (const std::exception& error) {
    return fail(INA_TROUBLE, error.what());
  }
}

bool in_child() { return joined_by != 0 && joined_by != getpid(); }

/// Nothing in a child, where the mutex may be locked for ever.
std::shared_ptr<Session> find_session() {
  if (in_child()) return nullptr;
  const std::lock_guard lock(mutex);
  return session;
}

void keep(const std::shared_ptr<Session>& own, std::shared_ptr<Session>& in) {
  const std::lock_guard lock(mutex);
  in = own;
}

std::shared_ptr<Session> take(std::shared_ptr<Session>& from) {
  if (in_child()) return nullptr;
  const std::lock_guard lock(mutex);
  return std::exchange(from, nullptr);
}

void refuse_child() {
  if (!in_child()) return;
  throw Failure(INA_WRONG_INPUT,
                "a child that fork() made; allowed: the process that called ina_init");
}

std::shared_ptr<Session> existing(std::shared_ptr<Session> found) {
  if (found) return found;
  refuse_child();
  throw Failure(INA_WRONG_INPUT, "no job; allowed: between ina_init and ina_finalize");
}

std::shared_ptr<Session> current() { return existing(find_session()); }

/// At exit: the arrays are about to go.
void give_up() {
  for (auto* const from : {&session, &unjoined}) {
    if (const auto left = take(*from)) left->stop();
  }
}

/// Notes that this is the process. Once.
void begin_joining() {
  refuse_child();
  pid_t nobody = 0;
  if (!joined_by.compare_exchange_strong(nobody, getpid())) {
    throw Failure(INA_WRONG_INPUT, "a second ina_init; allowed: one in the life of a process");
  }
  if (std::atexit(give_up) != 0) throw std::bad_alloc();
}

void require(bool given, const char* what) {
  if (!given) throw Failure(INA_WRONG_INPUT, fmt::format("{}: NULL; allowed: a pointer", what));
}

/// `how`: what else Session::submit() takes.
template <class Value, class... How>
ina_status submit(const Value* in, Value* out, size_t count, ina_request* request, How... how) {
  return guarded([&] {
    require(request != nullptr, "request");
    require(in != nullptr || count == 0, "in");
    require(out != nullptr || count == 0, "out");
    *request = current()->submit({in, count}, out, how...);
  });
}

}  // namespace

ina_status ina_init(const char* cluster_file, uint32_t host, const char* device) {
  return ina_init_within(cluster_file, host, device, kLinkPatienceSeconds);
}

ina_status ina_init_within(const char* cluster_file, uint32_t host, const char* device,
                           double seconds) {
  return guarded([&] {
    require(cluster_file != nullptr, "cluster_file");
    require(device != nullptr, "device");
    const auto own = std::make_shared<Session>(cluster_file, host, device);
    begin_joining();
    try {
      own->join(seconds);
    } catch (const std::exception&) {
      keep(own, unjoined);
      throw;
    }
    keep(own, session);
  });
}

uint32_t ina_rank(void) {
  const auto found = find_session();
  return found ? found->rank() : 0;
}

uint32_t ina_workers(void) {
  const auto found = find_session();
  return found ? found->workers() : 0;
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
  ina_request request = 0;
  const ina_status submitted = ina_submit_i32(in, out, count, &request);
  return submitted == INA_OK ? ina_wait(request, -1) : submitted;
}

ina_status ina_allreduce_f32(const float* in, float* out, size_t count) {
  ina_request request = 0;
  const ina_status submitted = ina_submit_f32(in, out, count, &request);
  return submitted == INA_OK ? ina_wait(request, -1) : submitted;
}

ina_status ina_finalize(double seconds) {
  return guarded([&] { existing(take(session))->leave(seconds); });
}

const char* ina_error(void) { return reason.c_str(); }
