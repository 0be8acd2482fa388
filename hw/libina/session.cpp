// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/session.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <limits>

#include "hw/dpdk/ports/device.hpp"
#include "hw/dpdk/ports/every.hpp"
#include "hw/dpdk/ports/idle.hpp"
#include "hw/fields/read_number.hpp"
#include "hw/libina/presence.hpp"
#include "hw/processes/cluster_file.hpp"
#include "hw/processes/endpoints.hpp"

namespace ina::library {

using State = registration::WorkerMembership::State;

namespace {

// Number of time-outs for which workers linger after the last exchange. A worker that lacks its
// result notices this by a time-out, and under DSA needs the other workers to recover the result.
// Time-outs double, so this number is enough for several requests.
constexpr int kLingerTimeouts = 16;
constexpr double kLongestWaitSeconds = 1e9;
constexpr std::chrono::milliseconds kLinkPoll(5);

/// Environment variable that a launcher of many workers on few processors sets. Without it, the
/// program is assumed to compute on its processors.
constexpr const char* kYields = "INA_YIELDS";
constexpr const char* kSessionPsns = "INA_SESSION_PSNS";

/// Blocks all signals in this thread during its lifetime, so that threads started meanwhile leave
/// signals to the program's threads.
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

ports::Idle::Strategy strategy_told() {
  const char* const value = std::getenv(kYields);
  const bool yields = value != nullptr && *value != '\0';
  return yields ? ports::Idle::Strategy::yields : ports::Idle::Strategy::naps;
}

ports::HostOptions options_of(const std::string& cluster_file, HostId host,
                              const std::string& device) {
  ports::HostOptions options;
  options.cluster = cluster_file;
  options.host = host;
  options.device = device;
  return options;
}

HostId host_of(std::uint32_t number) {
  constexpr std::uint32_t kMost = std::numeric_limits<HostId>::max();
  if (number <= kMost) return static_cast<HostId>(number);
  throw Failure(INA_WRONG_INPUT, fmt::format("found host {}; allowed: 0 to {}", number, kMost));
}

/// Converts seconds to a duration that every clock can represent. A negative number means no limit.
std::chrono::duration<double> limit_of(double seconds) {
  if (std::isnan(seconds)) throw Failure(INA_WRONG_INPUT, "seconds: found NaN; allowed: a number");
  const bool any = seconds >= 0 && seconds < kLongestWaitSeconds;
  return std::chrono::duration<double>(any ? seconds : kLongestWaitSeconds);
}

std::chrono::steady_clock::time_point time_after(double seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit_of(seconds));
}

void wait_for_link(ports::HostLink& link, std::chrono::steady_clock::time_point limit) {
  while (!link.is_up()) {
    if (std::chrono::steady_clock::now() >= limit) {
      throw Failure(INA_TIMEOUT, "the link is not up");
    }
    std::this_thread::sleep_for(kLinkPoll);
  }
}

/// Number of PSNs of a session, the same at all workers. Tests use fewer.
std::uint64_t psns_of_session() {
  const char* const value = std::getenv(kSessionPsns);
  std::uint64_t psns = std::numeric_limits<Psn>::max();
  if (value == nullptr || *value == '\0') return psns;
  if (fields::read_number(value, psns) && psns != 0 && psns <= std::numeric_limits<Psn>::max()) {
    return psns;
  }
  throw Failure(INA_WRONG_INPUT, fmt::format("{}=\"{}\"; allowed: 1 to {}", kSessionPsns, value,
                                             std::numeric_limits<Psn>::max()));
}

/// Checks every ports::kLinkCheck whether the link is still up.
class LinkWatch {
 public:
  LinkWatch(ports::HostLink& link, const std::string& device) : link_(link), device_(device) {}

  /// Throws Failure if the link is down.
  void check(Time now) {
    if (!every_.is_due(now) || link_.is_up()) return;
    throw Failure(INA_TROUBLE, device_ +
                                   ": link down: the switch or the cable is gone; allowed: "
                                   "ina_finalize(0), then ina_init once the link is back");
  }

 private:
  ports::HostLink& link_;
  const std::string& device_;
  ports::Every every_{ports::kLinkCheck};
};

}  // namespace

Session::Session(const std::string& cluster_file, std::uint32_t host, const std::string& device)
    : cluster_(processes::read_cluster_file(cluster_file)),
      self_(processes::find_worker(cluster_, host_of(host))),
      options_(options_of(cluster_file, host_of(host), device)),
      strategy_(strategy_told()),
      psns_(psns_of_session()) {}

Session::~Session() { stop(); }

void Session::join(double seconds) {
  const auto limit = time_after(seconds);
  {
    const BlockedSignals blocked;
    thread_ = std::thread([this, limit] { serve(limit); });
  }
  try {
    joined_.get_future().get();
  } catch (const Failure& failure) {
    const std::string after =
        failure.status() == INA_TIMEOUT ? fmt::format(" after {} s", seconds) : "";
    throw Failure(failure.status(),
                  fmt::format("{}: {}{}", options_.device, failure.what(), after));
  }
  note_presence("joined");
}

// ---- the thread that moves packets

void Session::serve(Clock::time_point limit) {
  bool joined = false;
  try {
    ports::HostLink link(options_, cluster_);
    wait_for_link(link, limit);
    ports::WorkerSession registration(link.port(), cluster_, self_);
    register_worker(registration, limit);
    joined = true;
    joined_.set_value();
    serve(link, registration);
  } catch (const std::exception& error) {
    if (joined) {
      fail(error.what());
    } else {
      joined_.set_exception(std::current_exception());
    }
  }
}

/// Returns when the worker is in a session.
void Session::register_worker(ports::WorkerSession& registration, Clock::time_point limit) {
  const registration::WorkerMembership& membership = registration.membership();
  ports::Idle idle(strategy_);
  while (membership.state() == State::joining) {
    if (stop_) throw Failure(INA_TROUBLE, "the job has been left");
    if (Clock::now() >= limit) throw Failure(INA_TIMEOUT, membership.why());
    registration.join_turn(idle);
  }
  if (membership.state() != State::in_session) throw Failure(INA_WRONG_INPUT, membership.why());
}

void Session::serve(ports::HostLink& link, ports::WorkerSession& registration) {
  const registration::WorkerMembership& membership = registration.membership();
  std::unique_ptr<Stream> stream = make_stream(link, membership.id());
  ports::Port& port = link.port();
  ports::Idle idle(strategy_);
  LinkWatch watch(link, options_.device);
  while (!stop_) {
    const Time now = registration.now();
    watch.check(now);
    std::size_t moved =
        port.receive([&](const Frame& frame) { stream->transport->receive(frame, now); });
    registration.step(now);
    if (is_over(registration, now)) throw Failure(INA_TROUBLE, membership.why());
    if (stream->reducer.is_used_up()) stream = go_on(std::move(stream), link, registration);
    if (stream->transport->deadline() <= now) stream->transport->expire(now);
    if (any_submitted_) take_submitted(stream->reducer);
    stream->reducer.advance(*stream->transport, now);
    moved += port.send([&](Frame& out) { return stream->transport->next(out, now); });
    if (moved != 0) {
      idle.found_work();
    } else {
      idle.found_nothing();
    }
  }
}

/// Serves the used-up stream until all workers have joined the next session, since they may need
/// it.
std::unique_ptr<Session::Stream> Session::go_on(std::unique_ptr<Stream> used_up,
                                                ports::HostLink& link,
                                                ports::WorkerSession& registration) {
  if (!joins_again_) {
    registration.join_again();
    joins_again_ = true;
  }
  if (registration.membership().state() != State::in_session) return used_up;
  joins_again_ = false;
  std::unique_ptr<Stream> next = make_stream(link, registration.membership().id());
  for (Request& request : used_up->reducer.take_queued()) next->reducer.submit(std::move(request));
  return next;
}

std::unique_ptr<Session::Stream> Session::make_stream(ports::HostLink& link, JobId id) {
  cluster_.jobs[self_.job].id = id;
  auto stream = std::make_unique<Stream>(Stream{AllReducer(reducer_config()), nullptr});
  stream->transport = processes::make_transport(cluster_, self_, link.values(), stream->reducer);
  return stream;
}

/// Whether the session is over. The other workers may have left and started again before a leaving
/// worker has the last result. The leaving worker then continues to request the result for a while.
bool Session::is_over(const ports::WorkerSession& registration, Time now) {
  const State state = registration.membership().state();
  if (state == State::in_session || state == State::joining) return false;
  if (!leaving_) return true;
  if (!over_since_) over_since_ = now;
  return now - *over_since_ > kLingerTimeouts * cluster_.system->first_timeout();
}

AllReducer::Config Session::reducer_config() const {
  const cluster::JobSpec& job = cluster_.jobs[self_.job];
  return {cluster_.values_per_packet(),
          cluster_.system->exponent_slots(),
          job.training.partitions.fragments_per_iteration(),
          rank(),
          workers(),
          psns_};
}

void Session::take_submitted(AllReducer& reducer) {
  std::vector<Request> taken;
  {
    const std::lock_guard lock(mutex_);
    any_submitted_ = false;
    taken.swap(submitted_);
  }
  for (Request& request : taken) reducer.submit(std::move(request));
}

void Session::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  failure_ = why;
  progress_.notify_all();
}

// ---- the threads of the program

void Session::check_count(std::size_t count, std::size_t value_bytes, bool has_exponents) const {
  constexpr std::size_t kMostBytes = std::numeric_limits<std::ptrdiff_t>::max();
  const std::size_t most =
      std::min(kMostBytes / value_bytes, AllReducer::longest(reducer_config(), has_exponents));
  if (count <= most) return;
  throw Failure(INA_WRONG_INPUT, fmt::format("found count {}; allowed: 0 to {}", count, most));
}

ina_request Session::submit(std::span<const std::int32_t> in, std::int32_t* out, bool checked) {
  check_count(in.size(), sizeof(std::int32_t), false);
  const ina_request number = next_request_++;
  const bool wraps_around = cluster_.system->traits().wraps_around;
  const bool fits = !wraps_around || !checked || sums_fit(in, workers());
  hand_over(number,
            {agreement(number, Offer::of(in, fits)),
             std::make_shared<Int32Exchange>(in, out, wraps_around, done(number), copies())});
  return number;
}

ina_request Session::submit(std::span<const float> in, float* out) {
  const FloatBlocks blocks = blocks_of(cluster_);
  check_count(in.size(), sizeof(float), blocks == FloatBlocks::fragments);
  const ina_request number = next_request_++;
  const auto agreed = agreement(number, Offer::of(in, blocks));
  hand_over(number,
            {agreed, std::make_shared<Float32Exchange>(in, out, blocks, Rank{self_.rank, workers()},
                                                       agreed, done(number), copies())});
  return number;
}

std::shared_ptr<Agreement> Session::agreement(ina_request request, const Offer& own) {
  return std::make_shared<Agreement>(own, done(request));
}

Done Session::done(ina_request request) {
  return [this, request](const Outcome& outcome) {
    const std::lock_guard lock(mutex_);
    requests_[request] = outcome;
    progress_.notify_all();
  };
}

void Session::hand_over(ina_request number, Request request) {
  const std::lock_guard lock(mutex_);
  if (failure_) throw Failure(INA_TROUBLE, *failure_);
  requests_[number] = std::nullopt;
  submitted_.push_back(std::move(request));
  any_submitted_ = true;
}

std::optional<Outcome> Session::end_of(ina_request request, double seconds) {
  std::unique_lock lock(mutex_);
  const auto over = [&] {
    const auto found = requests_.find(request);
    return found == requests_.end() || found->second || failure_;
  };
  if (!progress_.wait_for(lock, limit_of(seconds), over)) return std::nullopt;
  const auto found = requests_.find(request);
  if (found == requests_.end()) {
    throw Failure(
        INA_WRONG_INPUT,
        fmt::format("found request {}; allowed: a request that was not waited for", request));
  }
  const Outcome outcome = found->second.value_or(Outcome{INA_TROUBLE, failure_.value_or("")});
  requests_.erase(found);
  return outcome;
}

void Session::wait(ina_request request, double seconds) {
  const auto outcome = end_of(request, seconds);
  if (!outcome) {
    throw Failure(INA_TIMEOUT,
                  fmt::format("request {} has not ended after {} s", request, seconds));
  }
  if (outcome->status != INA_OK) throw Failure(outcome->status, outcome->why);
}

void Session::leave(double seconds) {
  try {
    leave_within(seconds);
  } catch (const std::exception&) {
    note_presence("failed");
    throw;
  }
  note_presence("left");
}

void Session::leave_within(double seconds) {
  const auto limit = time_after(seconds);
  std::optional<Outcome> outcome;
  try {
    if (seconds != 0) outcome = end_of(submit_leaving(), seconds);
  } catch (const std::exception&) {
    stop();
    throw;
  }
  if (outcome) {
    const auto linger = kLingerTimeouts * cluster_.system->first_timeout();
    std::this_thread::sleep_for(
        std::min<std::chrono::duration<double>>(linger, limit - Clock::now()));
  }
  stop();
  if (!outcome) {
    throw Failure(
        INA_TIMEOUT,
        fmt::format(
            "gave up after {} s: some requests have not ended, or some workers are not leaving",
            seconds));
  }
  if (outcome->status != INA_OK) throw Failure(outcome->status, outcome->why);
}

ina_request Session::submit_leaving() {
  leaving_ = true;
  const ina_request number = next_request_++;
  hand_over(number, {agreement(number, Offer::to_leave()), nullptr});
  return number;
}

void Session::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  fail("the job has been left");
}

}  // namespace ina::library
