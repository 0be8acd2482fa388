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

/// A worker of a job, from joining to leaving. All that moves packets, DPDK with it, lives in one
/// thread; the callers' threads leave their arrays there, and wait. Every function throws Failure.
class Session {
 public:
  /// Reads what the process is to be; throws InputError.
  Session(const std::string& cluster_file, std::uint32_t host, const std::string& device);
  /// Gives up what is under way.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns when all workers of the job have joined. Throws also what DPDK has to say. Negative
  /// seconds, here and below: without limit. Once; after a failure another session may try again.
  void join(double seconds);

  std::uint32_t rank() const { return self_.rank; }
  std::uint32_t workers() const {
    return static_cast<std::uint32_t>(cluster_.jobs[self_.job].workers.size());
  }

  /// `checked`: refuses sums that might wrap around, at all workers.
  ina_request submit(std::span<const std::int32_t> in, std::int32_t* out, bool checked);
  ina_request submit(std::span<const float> in, float* out);
  void wait(ina_request request, double seconds);
  /// Waits for all, and for the others to leave; gives up what is not over in time.
  void leave(double seconds);
  /// Gives up what is under way. From then on no memory of a caller is touched.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  /// A worker's sums and packets under one id.
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
  /// Throws Failure if no array has that many values, or none that the job has packet sequence
  /// numbers for.
  void check_count(std::size_t count, std::size_t value_bytes, bool has_exponents) const;
  void leave_within(double seconds);
  ina_request submit_leaving();
  std::shared_ptr<Agreement> agreement(ina_request request, const Offer& own);
  Done done(ina_request request);
  Copies copies() { return copies_of(cluster_.system->traits(), memory_); }
  void hand_over(ina_request number, Request request);
  /// How the request ended, which is forgotten then; nothing if it has not in time.
  std::optional<Outcome> end_of(ina_request request, double seconds);
  void fail(const std::string& why);

  cluster::Spec cluster_;
  processes::WorkerId self_;
  ports::HostOptions options_;
  ports::Idle::Strategy strategy_;
  std::uint64_t psns_;     // of a session
  RecycledMemory memory_;  // of copies
  std::promise<void> joined_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> any_submitted_ = false;
  std::atomic<bool> leaving_ = false;
  bool joins_again_ = false;        // since a stream is used up
  std::optional<Time> over_since_;  // while it leaves
  // Shared by the sessions of the process: no request of one is taken for one of the next.
  inline static std::atomic<ina_request> next_request_ = 1;
  std::thread thread_;

  std::mutex mutex_;  // of all below
  std::condition_variable progress_;
  std::vector<Request> submitted_;
  std::map<ina_request, std::optional<Outcome>> requests_;  // with how they ended
  std::optional<std::string> failure_;                      // what ended the thread
};

}  // namespace ina::library
