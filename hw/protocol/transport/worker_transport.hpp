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
  /// Writes the values of fragment `psn` to `out`; the last fragment of a tensor is padded with
  /// zeros.
  virtual void read(Psn psn, std::span<std::int32_t> out) const = 0;
  /// The same fragment as floats, which ATP's server requests if the sum of integers overflowed
  /// (ATP 3.8). They are not quantised, so they are in units of the gradient. The default suits a
  /// source whose integers are the gradient; a source that quantises must return the original
  /// values.
  virtual void read_floats(Psn psn, std::span<float> out) const {
    std::vector<std::int32_t> integers(out.size());
    read(psn, integers);
    std::copy(integers.begin(), integers.end(), out.begin());
  }
  /// For block floating point (Tensor::exponent_lead): the exponent of this worker's values of
  /// fragment `psn`. It must be the same at each call.
  virtual numeric::ExponentCode exponent(Psn) const { return 0; }
  /// Replaces read(): the values quantised with the largest exponent of all workers' fragment
  /// `psn`, or zeros if that code means that some value is not finite.
  virtual void read_block(Psn psn, numeric::ExponentCode, std::span<std::int32_t> out) const {
    read(psn, out);
  }
};

/// A gradient tensor (or partition of one) to all-reduce: fragments first_psn … first_psn +
/// fragments - 1.
struct Tensor {
  Psn first_psn = 0;
  std::uint32_t fragments = 0;
  TensorPriority priority;  ///< DSA
  /// Once this tensor is complete at one worker, every worker has all results before this PSN,
  /// because a worker submits this tensor only after them. Until then the fragments stay readable,
  /// because others may need them (DSA IV).
  Psn low_watermark = 0;
  /// Must live until a tensor whose low_watermark is beyond this one is complete.
  const GradientSource* source = nullptr;
  /// SwitchML, block floating point (NSDI). The first `exponent_lead` fragments carry zeros. Each
  /// fragment psn carries the exponent of fragment psn + exponent_lead, which is quantised with the
  /// largest exponent and sent when the result of psn has arrived. Every tensor therefore begins
  /// with a round of exponents alone, and its last fragments carry none. 0: no exponents, values as
  /// from read(); otherwise exponent_lead_of().
  std::uint32_t exponent_lead = 0;

  BOOST_DESCRIBE_CLASS(Tensor, (),
                       (first_psn, fragments, priority, low_watermark, source, exponent_lead), (),
                       ())
};

/// Number of additional fragments of a tensor with `fragments` fragments of values, so that its
/// exponents precede its values: one in each slot, since a fragment's exponent travels in its slot.
constexpr std::uint32_t exponent_lead_of(std::uint64_t fragments, std::uint32_t slots) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fragments, slots));
}

/// Reason why a worker does not send its next new fragment.
enum class Hold : std::uint8_t {
  none,    ///< it sends, or has nothing to send
  memory,  ///< switch memory is used up: its pool of slots, its table of aggregators
  window,  ///< the window is full
};

/// Before all times; used if no packet of the worker itself determines the result.
inline constexpr Time kUnknownSending{-1};

/// How a worker received the sum of a fragment.
struct Delivery {
  bool resent = false;          ///< whether it sent its packet more than once
  Hold hold = Hold::none;       ///< reason for not sending until this sum came
  Time held_since{};            ///< if there was a hold
  Time sent = kUnknownSending;  ///< last transmission of its packet
};

/// Receives the results of a transport. Called from receive(), and from submit() if earlier frames
/// waited for the tensor; must not call back into the transport.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  /// The sum of fragment result.psn, exactly once per fragment. `result.values` is shared with
  /// other workers. ATP: with flag::floats the values are the bits of float32, the sum of the
  /// sources' read_floats() in the order of ranks (numeric::sum_floats). Block floating point:
  /// result.switchml().exponents is the exponent with which its values were quantised; fragments
  /// that carry only exponents are delivered too.
  virtual void fragment_complete(const Frame& result, const Delivery& delivery, Time now) = 0;
  /// A frame of `bytes` bytes arrived that completes no sum, in an all-reduce among workers.
  virtual void part_came(std::uint16_t /* bytes */, Time /* now */) {}
  /// All fragments of the tensor that begins at first_psn have been delivered.
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
      0;  ///< dropped: of another job, or of a kind that no worker accepts

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

/// One worker's part in one job: sends its fragments as its protocol permits and delivers the sums.
/// Deterministic, without clock or I/O: time is an argument, and next() returns the frames to send.
class WorkerTransport {
 public:
  virtual ~WorkerTransport() = default;
  /// The tensors of a job are contiguous in PSN, from 0, and may be submitted in any order. ATP and
  /// DSA send them in the order of PSNs.
  virtual void submit(const Tensor& tensor, Time now) = 0;
  virtual void receive(const Frame& frame, Time now) = 0;
  /// The next frame to send, if protocol and window permit.
  virtual bool next(Frame& out, Time now) = 0;
  /// Valid right after next() made a frame: false if there is no other one now. This is the usual
  /// case, since a result releases one frame. Avoiding the useless call saves a tenth of a worker's
  /// cost per frame.
  bool may_have_another() const { return may_have_another_; }
  /// Deadline of the next expire(); kNever if nothing is in flight.
  virtual Time deadline() const = 0;
  /// Lower bound of all later deadlines, whatever happens from `now` on, except the present
  /// deadline(). After reading deadline(), a caller need not read it again before this time.
  virtual Time no_deadline_before(Time now) const { return now; }
  virtual void expire(Time now) = 0;
  /// Packets in flight, and their limit.
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
