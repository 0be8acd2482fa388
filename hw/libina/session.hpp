// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hw/cluster/spec/spec.hpp"
#include "hw/dpdk/ports/host_program.hpp"
#include "hw/dpdk/ports/worker_session.hpp"
#include "hw/libina/all_reducer.hpp"
#include "hw/libina/failure.hpp"
#include "hw/libina/recycled_memory.hpp"
#include "hw/processes/members.hpp"

namespace ina::library {

/// A worker of a job, from joining to leaving. One thread moves all packets and runs DPDK; the
/// callers' threads queue their arrays for it and wait. Any function may throw Failure.
class Session {
 public:
  /// Reads the cluster file and finds the worker on this host. Also throws InputError.
  Session(const std::string& cluster_file, std::uint32_t host, const std::string& device);
  /// Gives up all requests that are under way, like stop().
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns when all workers of the job have joined. Also throws ports::PortError. Negative
  /// seconds, here and below, mean no limit. Call this only once: after a failure, try again with a
  /// new Session.
  void join(double seconds);

  std::uint32_t rank() const { return self_.rank; }
  std::uint32_t workers() const {
    return static_cast<std::uint32_t>(cluster_.jobs[self_.job].workers.size());
  }

  /// Like ina_submit_i32() and ina_submit_f32(). `checked`: whether arrays whose sums might wrap
  /// around are refused, at all workers.
  ina_request submit(std::span<const std::int32_t> in, std::int32_t* out, bool checked);
  ina_request submit(std::span<const float> in, float* out);
  void wait(ina_request request, double seconds);
  /// Waits for all requests and for the other workers to leave. Gives up requests that are not over
  /// in time.
  void leave(double seconds);
  /// Gives up all requests that are under way. Afterwards no memory of a caller is accessed.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  /// A worker's all-reduces under one job id, and the transport that sends their packets.
  struct Stream {
    AllReducer reducer;
    std::unique_ptr<WorkerTransport> transport;
  };

  void serve(Clock::time_point limit);
  void register_worker(ports::WorkerSession& registration, Clock::time_point limit);
  void serve(ports::HostLink& link, ports::WorkerSession& registration);
  std::unique_ptr<Stream> go_on(std::unique_ptr<Stream> used_up, ports::HostLink& link,
                                ports::WorkerSession& registration);
  std::unique_ptr<Stream> make_stream(ports::HostLink& link, JobId id);
  bool is_over(const ports::WorkerSession& registration, Time now);
  void take_submitted(AllReducer& reducer);
  AllReducer::Config reducer_config() const;
  /// Throws Failure if no array can have `count` values, or if a session has too few packet
  /// sequence numbers for them.
  void check_count(std::size_t count, std::size_t value_bytes, bool has_exponents) const;
  void leave_within(double seconds);
  ina_request submit_leaving();
  std::shared_ptr<Agreement> agreement(ina_request request, const Offer& own);
  Done done(ina_request request);
  Copies copies() { return copies_of(cluster_.system->traits(), memory_); }
  void hand_over(ina_request number, Request request);
  /// Waits for the outcome of the request, returns it, and forgets the request. Returns nothing if
  /// the request is not over in time.
  std::optional<Outcome> end_of(ina_request request, double seconds);
  void fail(const std::string& why);

  cluster::Spec cluster_;
  processes::WorkerId self_;
  ports::HostOptions options_;
  ports::Idle::Strategy strategy_;
  std::uint64_t psns_;     // number of PSNs per session
  RecycledMemory memory_;  // for copies of arrays
  std::promise<void> joined_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> any_submitted_ = false;
  std::atomic<bool> leaving_ = false;
  bool joins_again_ = false;        // set while joining the next session
  std::optional<Time> over_since_;  // set while leaving
  // Shared by all sessions of the process, so that no two of their requests have the same number.
  inline static std::atomic<ina_request> next_request_ = 1;
  std::thread thread_;

  std::mutex mutex_;  // guards all members below
  std::condition_variable progress_;
  std::vector<Request> submitted_;
  std::map<ina_request, std::optional<Outcome>> requests_;  // each has an outcome once it is
                                                            // over
  std::optional<std::string> failure_;                      // reason why the thread ended
};

}  // namespace ina::library
