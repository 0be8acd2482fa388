// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libina, for tests of its binding. It acts as a job of two workers with equal
// arrays and adds as late as ina.h allows: when the caller waits or leaves. A caller that frees an
// array too early therefore always gets wrong sums, or none.
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <mutex>

#include "hw/libina/ina.h"

namespace {

std::mutex mutex;
std::map<ina_request, std::function<void()>> under_way;
ina_request latest = 0;
bool joined = false;
bool held = false;
int failure = INA_OK;
thread_local const char* reason = "";

ina_status fail(ina_status status, const char* why) {
  reason = why;
  return status;
}

template <class Value>
ina_status submit(const Value* in, Value* out, size_t count, ina_request* request) {
  const std::lock_guard lock(mutex);
  if (!joined) return fail(INA_WRONG_INPUT, "no job");
  *request = ++latest;
  under_way[latest] = [=] {
    for (size_t i = 0; i < count; ++i) out[i] = in[i] + in[i];
  };
  return INA_OK;
}

}  // namespace

extern "C" {

/// Sets whether requests stay open, however long the caller waits.
void late_hold(int hold) {
  const std::lock_guard lock(mutex);
  held = hold != 0;
}

/// Sets the status with which all requests end.
void late_fail(int status) {
  const std::lock_guard lock(mutex);
  failure = status;
}

ina_status ina_init_within(const char*, uint32_t, const char*, double) {
  const std::lock_guard lock(mutex);
  joined = true;
  return INA_OK;
}

ina_status ina_init(const char* cluster_file, uint32_t host, const char* device) {
  return ina_init_within(cluster_file, host, device, 0);
}

uint32_t ina_rank(void) { return 0; }
uint32_t ina_workers(void) {
  const std::lock_guard lock(mutex);
  if (!joined) reason = "no job";
  return joined ? 2 : 0;
}

ina_status ina_submit_i32(const int32_t* in, int32_t* out, size_t count, ina_request* request) {
  return submit(in, out, count, request);
}

ina_status ina_submit_i32_unchecked(const int32_t* in, int32_t* out, size_t count,
                                    ina_request* request) {
  return submit(in, out, count, request);
}

ina_status ina_submit_f32(const float* in, float* out, size_t count, ina_request* request) {
  return submit(in, out, count, request);
}

ina_status ina_wait(ina_request request, double seconds) {
  if (seconds > 0) usleep(static_cast<useconds_t>(seconds * 1e4));
  const std::lock_guard lock(mutex);
  if (!joined) return fail(INA_WRONG_INPUT, "no job");
  const auto found = under_way.find(request);
  if (found == under_way.end())
    return fail(INA_WRONG_INPUT, "allowed: one that was not waited for");
  if (held) return fail(INA_TIMEOUT, "held");
  found->second();
  under_way.erase(found);
  return failure == INA_OK ? INA_OK : fail(static_cast<ina_status>(failure), "told to fail");
}

ina_status ina_finalize(double seconds) {
  const std::lock_guard lock(mutex);
  if (!joined) return fail(INA_WRONG_INPUT, "no job");
  for (const auto& [request, add] : under_way) add();
  under_way.clear();
  joined = false;
  std::fprintf(stderr, "left within %g s\n", seconds);
  return held ? fail(INA_TIMEOUT, "held") : INA_OK;
}

const char* ina_version(void) { return INA_VERSION; }

const char* ina_error(void) { return reason; }
}
