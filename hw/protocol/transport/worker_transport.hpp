// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/tensor_priority.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina {

/// Source of a worker's gradient: the caller's memory, or a generator.
class GradientSource {
 public:
  virtual ~GradientSource() = default;
  /// Writes the values of fragment `psn` to `out`. Pads the last fragment of a tensor with
  /// zeros.
  virtual void read(Psn psn, std::span<std::int32_t> out) const = 0;
  /// Writes fragment `psn` in floats, which ATP's server requests if the integer sum overflowed
  /// (ATP 3.8). They must be the gradient's values before quantisation. The default is right for
  /// a source whose gradient consists of integers. A source that quantises floats must override
  /// it.
  virtual void read_floats(Psn psn, std::span<float> out) const {
    std::vector<std::int32_t> integers(out.size());
    read(psn, integers);
    std::copy(integers.begin(), integers.end(), out.begin());
  }
  /// For block floating point (Tensor::exponent_lead): the exponent of this worker's values of
  /// fragment `psn`. Every call for the same `psn` must return the same exponent.
  virtual numeric::ExponentCode exponent(Psn) const { return 0; }
  /// Replaces read() in block floating point. Writes the values of `psn`, quantised with the given
  /// exponent, the largest of all workers. Writes zeros if it encodes a non-finite value.
  virtual void read_block(Psn psn, numeric::ExponentCode, std::span<std::int32_t> out) const {
    read(psn, out);
  }
};

/// A gradient tensor (or a part of one) to all-reduce, as fragments first_psn … first_psn +
/// fragments - 1.
struct Tensor {
  Psn first_psn = 0;
  std::uint32_t fragments = 0;
  TensorPriority priority;  ///< used only in DSA
  /// A worker submits this tensor only when it has all results before PSN low_watermark. When one
  /// worker completes this tensor, all workers therefore have these results. Until then, the
  /// earlier fragments must stay readable, because other workers may need them (DSA IV).
  Psn low_watermark = 0;
  /// Must live until another tensor is complete whose low_watermark is beyond this tensor.
  const GradientSource* source = nullptr;
  /// For block floating point in SwitchML (NSDI). Fragment psn carries this worker's exponent for
  /// fragment psn + exponent_lead. The result of psn returns the largest exponent of all workers,
  /// with which fragment psn + exponent_lead is then quantised and sent. The first exponent_lead
  /// fragments carry no values (zeros), and the last exponent_lead fragments carry no exponents.
  /// Must be exponent_lead_of(), or 0 without block floating point.
  std::uint32_t exponent_lead = 0;

  BOOST_DESCRIBE_CLASS(Tensor, (),
                       (first_psn, fragments, priority, low_watermark, source, exponent_lead), (),
                       ())
};

/// Number of fragments without values that a tensor needs in addition to `fragments` fragments with
/// values. It is one per slot in use, since a fragment's exponent precedes it in its slot.
constexpr std::uint32_t exponent_lead_of(std::uint64_t fragments, std::uint32_t slots) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fragments, slots));
}

/// Reason why a worker does not send its next new fragment.
enum class Hold : std::uint8_t {
  none,    ///< the worker may send, or has nothing to send
  memory,  ///< switch memory is used up: its pool of slots or its table of aggregators
  window,  ///< the window is full
};

/// Value of Delivery::sent if the time is unknown. It precedes all other times.
inline constexpr Time kUnknownSending{-1};

/// How a worker received the sum of a fragment.
struct Delivery {
  bool resent = false;          ///< whether the worker sent its packet more than once
  Hold hold = Hold::none;       ///< why the worker sent nothing before this sum arrived
  Time held_since{};            ///< start of the hold, if there was one
  Time sent = kUnknownSending;  ///< last transmission of the worker's packet
};

/// Receives the results of a transport. The transport calls it from receive(), or from submit() if
/// frames waited for the tensor or the job has one worker. A sink must not call the transport.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  /// Called only once for each fragment (result.psn), with its sum. `result.values` is shared with
  /// other workers. In ATP, flag::floats means that the values are the bits of float32: the sum of
  /// the sources' read_floats() in the order of ranks (numeric::sum_floats). In block floating
  /// point, result.switchml().exponents is the exponent with which the values were quantised.
  /// Fragments without values are delivered, too.
  virtual void fragment_complete(const Frame& result, const Delivery& delivery, Time now) = 0;
  /// All-reduce among workers: called for each frame (of `bytes` bytes) that completes no result.
  virtual void part_came(std::uint16_t /* bytes */, Time /* now */) {}
  /// Called when all fragments of the tensor that begins at first_psn have been delivered.
  virtual void tensor_complete(Psn first_psn, Time now) = 0;
};

struct WorkerStatistics {
  std::uint64_t packets_sent = 0;  ///< gradient packets, including retransmissions
  std::uint64_t retransmissions = 0;
  std::uint64_t results = 0;
  std::uint64_t duplicate_results = 0;
  std::uint64_t notifications = 0;
  std::uint64_t answered_requests = 0;
  std::uint64_t rejected_frames =
      0;  ///< frames of another job, or of a kind that workers do not accept

  WorkerStatistics& operator+=(const WorkerStatistics& other) {
    packets_sent += other.packets_sent;
    retransmissions += other.retransmissions;
    results += other.results;
    duplicate_results += other.duplicate_results;
    notifications += other.notifications;
    answered_requests += other.answered_requests;
    rejected_frames += other.rejected_frames;
    return *this;
  }
};

/// Runs the protocol of one worker in one job: sends the fragments and delivers the sums. It is
/// deterministic, without clock or I/O: time is an argument, and next() returns frames to send.
class WorkerTransport {
 public:
  virtual ~WorkerTransport() = default;
  /// Submits a tensor. The PSNs of a job's tensors must be contiguous, starting at 0. Tensors may
  /// be submitted in any order, but all WindowedWorkers send them in the order of PSNs.
  virtual void submit(const Tensor& tensor, Time now) = 0;
  virtual void receive(const Frame& frame, Time now) = 0;
  /// Writes the next frame to send to `out`. Returns false if none may be sent now.
  virtual bool next(Frame& out, Time now) = 0;
  /// Valid only right after next() has returned true. False if there is no other frame to send now.
  /// That is the usual case, since a result allows one frame. Avoiding a needless call of next()
  /// saves a tenth of a worker's cost per frame.
  bool may_have_another() const { return may_have_another_; }
  /// Time at which expire() is due; kNever if nothing is in flight.
  virtual Time deadline() const = 0;
  /// Lower bound of all deadlines that calls from `now` on can set. A caller that knows the present
  /// deadline() need not read deadline() again before this time.
  virtual Time no_deadline_before(Time now) const { return now; }
  virtual void expire(Time now) = 0;
  /// Number of packets in flight; window() is its maximum.
  virtual std::uint32_t in_flight() const = 0;
  virtual std::uint32_t window() const = 0;
  virtual const WorkerStatistics& statistics() const = 0;

 protected:
  bool may_have_another_ = true;
};

/// Identity of a worker in a job.
struct WorkerIdentity {
  JobId job = 0;
  std::uint16_t rank = 0;
  std::uint16_t workers = 0;  ///< number of the job's workers
  HostId host = 0;
  wire::JobServers servers;  ///< the job's servers; empty if its workers need none
  wire::AggregationPath path = wire::default_path(workers, rank);
  std::vector<HostId> members = {};  ///< by rank, if workers send to each other
};

}  // namespace ina
