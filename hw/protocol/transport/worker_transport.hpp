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

/// Where a worker's gradient comes from: memory of the caller, or a generator.
class GradientSource {
 public:
  virtual ~GradientSource() = default;
  /// Writes the values of fragment `psn` to `out`; the last fragment of a tensor is filled up with
  /// zeros.
  virtual void read(Psn psn, std::span<std::int32_t> out) const = 0;
  /// The same fragment as floats, which ATP's server asks for if the sum of integers overflowed
  /// (ATP 3.8): not quantised, so in units of the gradient. As it is here, of a source whose
  /// integers are the gradient; one that quantises must say what it quantised.
  virtual void read_floats(Psn psn, std::span<float> out) const {
    std::vector<std::int32_t> integers(out.size());
    read(psn, integers);
    std::copy(integers.begin(), integers.end(), out.begin());
  }
  /// Of block floating point (Tensor::exponent_lead): the exponent of this worker's values of
  /// fragment `psn`, the same whenever it is asked for.
  virtual numeric::ExponentCode exponent(Psn) const { return 0; }
  /// Instead of read(): the values quantised by the largest exponent of all workers' fragment
  /// `psn`; zeros if that says that some value is not finite.
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
  /// because a worker submits this tensor only after that. Until then the fragments stay readable:
  /// others may need them (DSA IV).
  Psn low_watermark = 0;
  /// Must live until a tensor whose low_watermark is beyond this one is complete.
  const GradientSource* source = nullptr;
  /// SwitchML, block floating point (NSDI): the first `exponent_lead` fragments carry zeros, and
  /// each fragment psn the exponent of fragment psn + exponent_lead, which goes out, quantised by
  /// the largest one, when the result of psn has come. So every tensor begins with a round of
  /// exponents alone, and its last fragments carry none. 0: no exponents, values as read() gives
  /// them; else exponent_lead_of().
  std::uint32_t exponent_lead = 0;

  BOOST_DESCRIBE_CLASS(Tensor, (),
                       (first_psn, fragments, priority, low_watermark, source, exponent_lead), (),
                       ())
};

/// How many fragments a tensor of `fragments` with values has beside these, so that its exponents
/// go ahead of its values: one in each slot, as a fragment's exponent then travels in its slot.
constexpr std::uint32_t exponent_lead_of(std::uint64_t fragments, std::uint32_t slots) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fragments, slots));
}

/// Why a worker does not send what it has to send for the first time.
enum class Hold : std::uint8_t {
  none,    ///< it does, or has nothing
  memory,  ///< of switches is used up: its pool of slots, its table of aggregators
  window,  ///< as much is in flight as a window lets go
};

/// Before all times, since no packet of the worker itself decides.
inline constexpr Time kUnknownSending{-1};

/// How a worker got the sum of a fragment.
struct Delivery {
  bool resent = false;          ///< it sent its packet more than once
  Hold hold = Hold::none;       ///< until this sum came
  Time held_since{};            ///< if it was held
  Time sent = kUnknownSending;  ///< its packet, the last time
};

/// Receives what a transport achieves. Called from inside receive(), and submit() if what came
/// before waited for the tensor; must not call back into the transport.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  /// The sum of fragment result.psn, exactly once per fragment. `result.values` is shared with
  /// other workers. ATP: with flag::floats the values are the bits of float32, the sum of what the
  /// sources' read_floats() gave, in the order of ranks (numeric::sum_floats). Block floating
  /// point: result.switchml().exponents is the exponent that its values were quantised by;
  /// fragments that carried exponents alone are handed over too.
  virtual void fragment_complete(const Frame& result, const Delivery& delivery, Time now) = 0;
  /// A frame of `bytes` bytes came that completes no sum, in an all-reduce among workers.
  virtual void part_came(std::uint16_t /* bytes */, Time /* now */) {}
  /// All fragments of the tensor that begins at first_psn have been handed over.
  virtual void tensor_complete(Psn first_psn, Time now) = 0;
};

struct WorkerStatistics {
  std::uint64_t packets_sent = 0;  ///< gradient packets, with retransmissions
  std::uint64_t retransmissions = 0;
  std::uint64_t results = 0;
  std::uint64_t duplicate_results = 0;
  std::uint64_t notifications = 0;
  std::uint64_t answered_requests = 0;
  std::uint64_t rejected_frames = 0;  ///< of another job, or nothing a worker accepts: dropped

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

/// One worker's end of one job: sends its fragments as its protocol allows and hands over the sums.
/// Deterministic; knows neither clock nor wire: time comes in as an argument, frames go out when
/// asked for.
class WorkerTransport {
 public:
  virtual ~WorkerTransport() = default;
  /// Tensors of a job follow one another in PSN, from 0, and may come in any order. ATP and DSA
  /// send them in the order of PSNs.
  virtual void submit(const Tensor& tensor, Time now) = 0;
  virtual void receive(const Frame& frame, Time now) = 0;
  /// The next frame to put on the wire, if protocol and window let one go.
  virtual bool next(Frame& out, Time now) = 0;
  /// Right after next() made a frame: false if it has no other one now. Mostly so, as a result lets
  /// one go: not to ask in vain saves a tenth of what a frame costs a worker.
  bool may_have_another() const { return may_have_another_; }
  /// When expire() wants to be called; kNever if nothing is in flight.
  virtual Time deadline() const = 0;
  /// Whatever happens from `now` on, no deadline() will be before this, but for one that is there
  /// now. So who looks at deadline() now need not look again before this.
  virtual Time no_deadline_before(Time now) const { return now; }
  virtual void expire(Time now) = 0;
  /// Packets in flight and the most that may be.
  virtual std::uint32_t in_flight() const = 0;
  virtual std::uint32_t window() const = 0;
  virtual const WorkerStatistics& statistics() const = 0;

 protected:
  bool may_have_another_ = true;
};

/// Who a worker is, in a job.
struct WorkerIdentity {
  JobId job = 0;
  std::uint16_t rank = 0;
  std::uint16_t workers = 0;  ///< of the job
  HostId host = 0;
  wire::JobServers servers;  ///< of the job; none where its workers do without
  wire::AggregationPath path = wire::default_path(workers, rank);
  std::vector<HostId> members = {};  ///< by rank, where workers send each other
};

}  // namespace ina
