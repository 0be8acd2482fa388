// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/ina.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <string>

#include "hw/libina/session.hpp"

namespace {

using ina::library::Failure;
using ina::library::Session;

thread_local std::string reason;

// DPDK's environment is one a process, and so is this.
std::mutex mutex;
std::shared_ptr<Session> session;
bool joined_once = false;

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

std::shared_ptr<Session> find_session() {
  const std::lock_guard lock(mutex);
  return session;
}

std::shared_ptr<Session> current() {
  auto found = find_session();
  if (!found) throw Failure(INA_WRONG_INPUT, "no job; allowed: between ina_init and ina_finalize");
  return found;
}

void require(bool given, const char* what) {
  if (!given) throw Failure(INA_WRONG_INPUT, fmt::format("{}: NULL; allowed: a pointer", what));
}

template <class Value>
ina_status submit(const Value* in, Value* out, size_t count, ina_request* request) {
  return guarded([&] {
    require(request != nullptr, "request");
    require(in != nullptr || count == 0, "in");
    require(out != nullptr || count == 0, "out");
    *request = current()->submit({in, count}, out);
  });
}

template <class Value>
ina_status all_reduce(const Value* in, Value* out, size_t count) {
  ina_request request = 0;
  const ina_status submitted = submit(in, out, count, &request);
  return submitted == INA_OK ? ina_wait(request, -1) : submitted;
}

}  // namespace

ina_status ina_init(const char* cluster_file, uint32_t host, const char* device) {
  return guarded([&] {
    require(cluster_file != nullptr, "cluster_file");
    require(device != nullptr, "device");
    const std::lock_guard lock(mutex);
    if (joined_once) {
      throw Failure(INA_WRONG_INPUT, "a second ina_init; allowed: one in the life of a process");
    }
    const auto joining = std::make_shared<Session>(cluster_file, host, device);
    joined_once = true;
    joining->join();
    session = joining;
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
  return submit(in, out, count, request);
}

ina_status ina_submit_f32(const float* in, float* out, size_t count, ina_request* request) {
  return submit(in, out, count, request);
}

ina_status ina_wait(ina_request request, double seconds) {
  return guarded([&] { current()->wait(request, seconds); });
}

ina_status ina_allreduce_i32(const int32_t* in, int32_t* out, size_t count) {
  return all_reduce(in, out, count);
}

ina_status ina_allreduce_f32(const float* in, float* out, size_t count) {
  return all_reduce(in, out, count);
}

ina_status ina_finalize(double seconds) {
  return guarded([&] {
    const auto leaving = current();
    {
      const std::lock_guard lock(mutex);
      session.reset();
    }
    leaving->leave(seconds);
  });
}

const char* ina_error(void) { return reason.c_str(); }
