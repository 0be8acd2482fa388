// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/session.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <limits>

#include "hw/dpdk/endpoints/endpoints.hpp"
#include "hw/dpdk/ports/idle.hpp"

namespace ina::library {

namespace {

// A worker that lacks the result of the last exchange notices by its time-out, and under DSA needs
// the others for it. So many time-outs, which double, are enough to ask several times.
constexpr int kLingerTimeouts = 16;
constexpr double kLongestWaitSeconds = 1e9;

/// Whoever starts many workers on few processors sets this to something; else the program is taken
/// to calculate.
constexpr const char* kGivesWay = "INA_GIVES_WAY";

/// Signals are for the threads of the program, from here on while this lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

ports::Idle::Manner manner_told() {
  const char* const told = std::getenv(kGivesWay);
  const bool gives_way = told != nullptr && *told != '\0';
  return gives_way ? ports::Idle::Manner::gives_way : ports::Idle::Manner::naps;
}

ports::HostOptions options_of(const std::string& cluster_file, HostId host,
                              const std::string& device) {
  ports::HostOptions options;
  options.cluster = cluster_file;
  options.host = host;
  options.device = device;
  return options;
}

std::string reason_of(ina_status status) {
  switch (status) {
    case INA_NOT_FINITE:
      return "a worker's array has a NaN or an infinity; allowed: finite values";
    case INA_OVERFLOW:
      return "a sum is out of range; allowed: from INT32_MIN + 1 to INT32_MAX - 1";
    default:
      return "";
  }
}

}  // namespace

Session::Session(const std::string& cluster_file, HostId host, const std::string& device)
    : cluster_(endpoints::read_file(cluster_file, endpoints::read_cluster)),
      seat_(endpoints::worker_seat(cluster_, host)),
      options_(options_of(cluster_file, host, device)),
      manner_(manner_told()),
      fragments_left_(std::numeric_limits<Psn>::max()) {}

Session::~Session() { stop(); }

void Session::join() {
  {
    const BlockedSignals blocked;
    thread_ = std::thread([this] { serve(); });
  }
  joined_.get_future().get();
}

// ---- the thread that moves packets

void Session::serve() {
  bool joined = false;
  try {
    ports::HostLink link(options_, cluster_);
    const auto clock = link.begin();
    joined = true;
    joined_.set_value();
    serve(link, *clock);
  } catch (const std::exception& error) {
    if (joined) {
      fail(error.what());
    } else {
      joined_.set_exception(std::current_exception());
    }
  }
}

void Session::serve(ports::HostLink& link, const endpoints::RunClock& clock) {
  AllReducer reducer(cluster_.protocol, cluster_.values_per_packet,
                     cluster_.jobs[seat_.job].training.fragments_per_iteration());
  const auto transport = endpoints::make_transport(cluster_, seat_, link.values(), reducer);
  ports::Port& port = link.port();
  ports::Idle idle(manner_);
  while (!stop_) {
    const Time now = clock.now();
    std::size_t moved = port.receive([&](const Frame& frame) { transport->receive(frame, now); });
    if (transport->deadline() <= now) transport->expire(now);
    if (any_submitted_) take_submitted(reducer);
    reducer.advance(*transport, now);
    moved += port.send([&](Frame& out) { return transport->next(out, now); });
    if (moved != 0) {
      idle.found_work();
    } else {
      idle.found_nothing();
    }
  }
}

void Session::take_submitted(AllReducer& reducer) {
  Exchanges taken;
  {
    const std::lock_guard lock(mutex_);
    any_submitted_ = false;
    taken.swap(submitted_);
  }
  for (const auto& exchange : taken) reducer.submit(exchange);
}

void Session::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  failure_ = why;
  progress_.notify_all();
}

// ---- the threads of the program

ina_request Session::submit(std::span<const std::int32_t> in, std::int32_t* out) {
  const ina_request request = next_request_++;
  hand_over(request, {std::make_shared<Int32Exchange>(in, out, done(request), copies())});
  return request;
}

ina_request Session::submit(std::span<const float> in, float* out) {
  const ina_request request = next_request_++;
  const auto exponent = std::make_shared<ExponentExchange>(in);
  hand_over(request, {exponent, std::make_shared<Float32Exchange>(in, out, workers(), exponent,
                                                                  done(request), copies())});
  return request;
}

Done Session::done(ina_request request) {
  return [this, request](ina_status status) {
    const std::lock_guard lock(mutex_);
    requests_[request] = status;
    progress_.notify_all();
  };
}

void Session::hand_over(ina_request request, const Exchanges& exchanges) {
  const std::lock_guard lock(mutex_);
  if (failure_) throw Failure(INA_TROUBLE, *failure_);
  if (exchanges.back()->count() == 0) {
    requests_[request] = INA_OK;
    return;
  }
  std::uint64_t fragments = 0;
  for (const auto& exchange : exchanges) {
    fragments += exchange->fragments(cluster_.values_per_packet);
  }
  if (fragments > fragments_left_) {
    throw Failure(INA_EXHAUSTED, fmt::format("found an array of {} packets; allowed: {}, what is "
                                             "left of the job's sequence numbers",
                                             fragments, fragments_left_));
  }
  fragments_left_ -= fragments;
  requests_[request] = std::nullopt;
  submitted_.insert(submitted_.end(), exchanges.begin(), exchanges.end());
  any_submitted_ = true;
}

void Session::wait(ina_request request, double seconds) {
  std::unique_lock lock(mutex_);
  const auto over = [&] {
    const auto found = requests_.find(request);
    return found == requests_.end() || found->second || failure_;
  };
  if (seconds < 0) {
    progress_.wait(lock, over);
  } else {
    const std::chrono::duration<double> limit(std::min(seconds, kLongestWaitSeconds));
    if (!progress_.wait_for(lock, limit, over)) {
      throw Failure(INA_TIMEOUT,
                    fmt::format("request {} is not over after {} s", request, seconds));
    }
  }
  const auto found = requests_.find(request);
  if (found == requests_.end()) {
    throw Failure(INA_WRONG_INPUT,
                  fmt::format("request {}; allowed: one that was not waited for", request));
  }
  if (!found->second) throw Failure(INA_TROUBLE, *failure_);
  const ina_status status = *found->second;
  requests_.erase(found);
  if (status != INA_OK) throw Failure(status, reason_of(status));
}

void Session::leave(double seconds) {
  std::int32_t nothing = 0;
  try {
    wait(submit({&nothing, 1}, &nothing), seconds);
  } catch (const Failure&) {
    stop();
    throw;
  }
  std::this_thread::sleep_for(kLingerTimeouts * cluster_.worker_timeout);
  stop();
}

void Session::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  fail("the job was left");
}

}  // namespace ina::library
