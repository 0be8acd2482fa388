// SPDX-License-Identifier: BSD-3-Clause
// Program that test_api runs as every worker. It uses the C API and frees its memory as soon as
// ina.h allows. Under AddressSanitizer, any later access by the library is found.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hw/libina/ina.h"

namespace {

constexpr std::size_t kLarge = 300'000;  // more packets than may be open at a time
constexpr auto kLongEnoughToTouchMemory = std::chrono::milliseconds(100);

void require(bool right, const char* what) {
  if (right) return;
  const std::string failure = ina_error();
  std::fprintf(stderr, "rank %u: not so: %s; the latest failure: %s\n", ina_rank(), what,
               failure.c_str());
  std::_Exit(1);
}

#define REQUIRE(condition) require(condition, #condition)

ina_status submit(std::span<const std::int32_t> in, std::int32_t* out, ina_request* request) {
  return ina_submit_i32(in.data(), out, in.size(), request);
}
ina_status submit(std::span<const float> in, float* out, ina_request* request) {
  return ina_submit_f32(in.data(), out, in.size(), request);
}

/// An all-reduce with arrays of its own for input and output, and its status.
template <class Value>
struct AllReduce {
  AllReduce(std::size_t count, Value value)
      : in(std::make_unique<std::vector<Value>>(count, value)),
        out(std::make_unique<std::vector<Value>>(count)) {
    REQUIRE(submit(*in, out->data(), &request) == INA_OK);
  }
  ina_status wait() {
    const ina_status status = ina_wait(request, -1);
    in.reset();  // the caller may free it now
    return status;
  }
  void sums_to(Value sum) {
    REQUIRE(wait() == INA_OK);
    for (const Value value : *out) REQUIRE(value == sum);
    out.reset();
  }
  std::unique_ptr<std::vector<Value>> in;
  std::unique_ptr<std::vector<Value>> out;
  ina_request request = 0;
};

using Integers = AllReduce<std::int32_t>;
using Floats = AllReduce<float>;

/// After a refusal, the program may try another host.
void refuses_hosts_that_cannot_be(std::uint32_t host) {
  constexpr std::uint32_t kHosts = 1U << 16;
  for (const std::uint32_t wrong : {kHosts + host, std::numeric_limits<std::uint32_t>::max()}) {
    const char* const cluster = std::getenv("INA_CLUSTER");
    REQUIRE(ina_init(cluster, wrong, std::getenv("INA_DEVICE")) == INA_WRONG_INPUT);
    REQUIRE(ina_error() == "found host " + std::to_string(wrong) + "; allowed: 0 to 65535");
  }
}

std::int32_t times_workers(std::int32_t value) {
  return value * static_cast<std::int32_t>(ina_workers());
}

void refuses_counts_that_no_array_has() {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  float value = 0;
  std::int32_t integer = 0;
  ina_request request = 0;
  for (const std::size_t count : {kMost, kMost / 2, kMost / 4, std::size_t{1} << 42}) {
    REQUIRE(ina_submit_f32(&value, &value, count, &request) == INA_WRONG_INPUT);
    REQUIRE(std::string(ina_error())
                .starts_with("found count " + std::to_string(count) + "; allowed: 0 to "));
    REQUIRE(ina_submit_i32(&integer, &integer, count, &request) == INA_WRONG_INPUT);
    REQUIRE(ina_submit_i32_unchecked(&integer, &integer, count, &request) == INA_WRONG_INPUT);
  }
}

void sums() {
  refuses_counts_that_no_array_has();
  Integers first(1, 1);
  REQUIRE(ina_wait(first.request, std::nan("")) == INA_WRONG_INPUT);
  first.sums_to(times_workers(1));
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{63}, kLarge}) {
    std::vector<Integers> integers;
    std::vector<Floats> floats;
    for (std::int32_t value = 1; value <= 4; ++value) {
      integers.emplace_back(count, value);
      floats.emplace_back(count, static_cast<float>(value));
    }
    for (std::int32_t value = 4; value >= 1; --value) {
      const auto index = static_cast<std::size_t>(value - 1);
      integers[index].sums_to(times_workers(value));
      floats[index].sums_to(static_cast<float>(times_workers(value)));
    }
  }
  REQUIRE(ina_finalize(-1) == INA_OK);
}

void waits_in_many_threads() {
  std::vector<std::unique_ptr<Integers>> all;
  for (std::int32_t value = 1; value <= 8; ++value) {
    all.push_back(std::make_unique<Integers>(kLarge / 8, value));
  }
  std::vector<std::thread> threads;
  for (std::int32_t value = 1; value <= 8; ++value) {
    threads.emplace_back([one = std::move(all[static_cast<std::size_t>(value - 1)]), value] {
      one->sums_to(times_workers(value));
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(ina_finalize(-1) == INA_OK);
}

void differs() {
  const bool odd = ina_rank() == 1;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(Integers(odd ? 9 : kLarge, 1).wait() == INA_MISMATCH);
    REQUIRE(std::string(ina_error()).find("rank 1: 9 int32") != std::string::npos);
    REQUIRE((odd ? Integers(kLarge, 1).wait() : Floats(kLarge, 1).wait()) == INA_MISMATCH);
    Floats(kLarge, 2).sums_to(static_cast<float>(times_workers(2)));
  }
  REQUIRE(ina_finalize(-1) == INA_OK);
}

/// Runs at rank 0 only, while another of its threads waits.
void gives_up() {
  const auto over = std::filesystem::path(std::getenv("INA_CLUSTER")).replace_filename("over");
  if (ina_rank() != 0) {
    while (!std::filesystem::exists(over)) std::this_thread::sleep_for(kLongEnoughToTouchMemory);
    return;
  }
  {
    std::array integers = {Integers(kLarge, 1), Integers(kLarge, 1)};
    Floats floats(kLarge, 1);
    std::thread waiter([&] { REQUIRE(ina_wait(floats.request, -1) == INA_TROUBLE); });
    REQUIRE(ina_wait(integers[0].request, 0.05) == INA_TIMEOUT);
    REQUIRE(ina_finalize(0.05) == INA_TIMEOUT);
    waiter.join();
  }
  std::this_thread::sleep_for(kLongEnoughToTouchMemory);
  REQUIRE(ina_wait(1, 0) == INA_WRONG_INPUT);
  REQUIRE(ina_workers() == 0);
  REQUIRE(std::string(ina_error()) ==
          "called without a job; allowed: between ina_init and ina_finalize");
  std::fclose(std::fopen(over.c_str(), "w"));
}

// A static object, so that its arrays exist before ina_init() and are destroyed at exit.
std::vector<std::unique_ptr<Integers>> under_way_at_exit;

/// main() returns. The library gives up all requests before their arrays are destroyed.
void exits() {
  for (int i = 0; i < 4; ++i) {
    under_way_at_exit.push_back(std::make_unique<Integers>(kLarge, 1));
  }
}

bool is_child = false;

void forks() {
  Integers under_way(kLarge, 1);
  const pid_t child = fork();
  if (child == 0) {
    is_child = true;
    std::int32_t value = 1;
    REQUIRE(ina_allreduce_i32(&value, &value, 1) == INA_WRONG_INPUT);
    REQUIRE(std::string(ina_error()).find("called in a child of fork()") != std::string::npos);
    REQUIRE(ina_init("cluster.json", 0, "net_memif0") == INA_WRONG_INPUT);
    REQUIRE(ina_wait(under_way.request, -1) == INA_WRONG_INPUT);
    REQUIRE(ina_finalize(-1) == INA_WRONG_INPUT);
    REQUIRE(ina_rank() == 0 && ina_workers() == 0);
    REQUIRE(std::string(ina_error()).find("called in a child of fork()") != std::string::npos);
    std::exit(0);  // runs exit handlers and destructors
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  under_way.sums_to(times_workers(1));
  REQUIRE(ina_finalize(-1) == INA_OK);
}

}  // namespace

/// LeakSanitizer calls this function. Leaks are not checked in a child, because a child lacks the
/// stacks of other threads, and hence the references on these stacks.
extern "C" int __lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier)
  return is_child ? 1 : 0;
}

int main(int, char** argv) {
  const std::map<std::string, void (*)()> all = {
      {"sums", sums},       {"waits-in-many-threads", waits_in_many_threads},
      {"differs", differs}, {"gives-up", gives_up},
      {"exits", exits},     {"forks", forks},
  };
  const auto host = static_cast<std::uint32_t>(std::strtoul(std::getenv("INA_HOST"), nullptr, 10));
  refuses_hosts_that_cannot_be(host);
  const double nan = std::nan("");
  REQUIRE(ina_init_within(std::getenv("INA_CLUSTER"), host, std::getenv("INA_DEVICE"), nan) ==
          INA_WRONG_INPUT);
  REQUIRE(std::string(ina_error()) == "seconds: found NaN; allowed: a number");
  REQUIRE(ina_init_within(std::getenv("INA_CLUSTER"), host, std::getenv("INA_DEVICE"), -1) ==
          INA_OK);
  all.at(argv[1])();
}
