// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/server/psn_set.hpp"
#include "hw/protocol/server/worker_set.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/backoff.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/job_servers.hpp"

namespace ina {

/// Identity of a parameter server in a job. If the job has several, `servers` determines its
/// fragments.
struct ServerIdentity {
  JobId job = 0;
  std::uint16_t workers = 0;
  HostId host = 0;
  std::uint32_t psns_per_iteration = 1;
  /// The workers' hosts by rank. If given, frames that do not come from the member that they name
  /// are rejected; otherwise the network has to ensure this.
  std::vector<HostId> members = {};
  /// Aggregation paths of the workers, by rank; with branches, `members` must be given. Default:
  /// all workers are at one switch, if it can add them up.
  std::vector<wire::AggregationPath> paths = wire::default_paths(workers);
  /// All servers of the job. Frames for another server are rejected.
  wire::JobServers servers = host;
};

struct ServerStatistics {
  std::uint64_t gradients = 0;  ///< gradient packets and partial aggregates received
  std::uint64_t duplicates =
      0;  ///< dropped: their workers were already in the entry, or the task was complete
  std::uint64_t overlaps = 0;   ///< dropped: could not be added to the entry's content
  std::uint64_t completed = 0;  ///< tasks completed here
  std::uint64_t overflows = 0;  ///< complete sums that overflowed, for which floats were requested
  std::uint64_t reminders = 0;
  std::uint64_t requests = 0;
  std::uint64_t rejected_frames = 0;
};

/// Common part of the servers of ATP, DSA and `ps`: a dictionary of partial sums by PSN, merged by
/// bitmaps. A sum with all workers becomes a result packet to every worker.
class ParameterServer {
 public:
  virtual ~ParameterServer() = default;
  void receive(Frame frame, Time now);
  /// The next frame to send.
  bool next(Frame& out);
  /// Deadline of the next expire(); kNever if no entry waits.
  Time deadline() const;
  void expire(Time now);

  std::size_t open_entries() const { return entries_.size(); }
  const ServerStatistics& statistics() const { return statistics_; }

 protected:
  struct Entry {
    Values values;
    WorkerSet workers;  ///< workers whose values are in the sum
    std::uint32_t aggregator_index = 0;
    Time created{};
    Time reminded{};          ///< begin of its time-out: its last reminder, or its creation
    Time added{};             ///< last new contribution
    WorkerSet marked;         ///< workers whose packets had a congestion mark
    bool collision = false;   ///< part of it came here because of a collision
    bool sent_again = false;  ///< part of it came after a time-out, or had to wait for one
    /// DSA: whether a worker lacks the result, which the first retransmission alone does not prove.
    bool is_needed = false;
    /// DSA: answers to reminders that are due, from leaves (bits by branch) and afterwards from the
    /// root. Switches that have answered are asked again once all have.
    std::uint32_t leaves_due = 0;
    bool root_due = false;
    Backoff backoff;  ///< doubles the time-out until a new contribution arrives

    BOOST_DESCRIBE_CLASS(Entry, (),
                         (values, workers, aggregator_index, created, reminded, marked, collision,
                          sent_again, is_needed, leaves_due, root_due),
                         (), ())
  };
  using Entries = boost::unordered_flat_map<Psn, Entry>;

  ParameterServer(const ServerIdentity& identity, std::uint16_t result_bytes);

  /// Handles a gradient for a task that is complete.
  virtual void receive_late(Frame&& frame, Time now) = 0;
  /// Handles a worker's fragment as floats, for a task that is not complete; only ATP requests
  /// these.
  virtual void receive_floats(Frame&& frame, Time now);
  /// Handles a frame that is not a gradient.
  virtual void receive_control(const Frame& frame, Time now);
  /// A worker reports that no worker needs the task any more.
  void close(Psn psn);
  /// Whether the sum of a full entry may be sent. If not, the entry stays open and full.
  virtual bool accept_sum(Psn, Entry&, Time) { return true; }
  /// The entry is full; `result` is about to go out.
  virtual void entry_completed(Entry& entry, Frame& result, Time now) = 0;
  /// Outcome of a gradient.
  enum class Merge : std::uint8_t {
    added,
    duplicate,  ///< its workers were already in the entry
    overlap,    ///< some of its workers were in the entry: it, or the entry's content, had to be
                ///< dropped
  };
  /// A gradient left its entry incomplete.
  virtual void entry_incomplete(const Frame&, Entry&, Merge, Time) {}

  /// Time-out of a waiting entry. It doubles with every expiry since the last new contribution.
  /// When it expires timed_out() is called, which may let the entry wait again.
  virtual Time entry_timeout(std::size_t doublings) const = 0;
  virtual void timed_out(Psn psn, Entry& entry, Time now) = 0;
  /// Starts the entry's time-out.
  void wait(Psn psn, Entry& entry, Time now);
  /// A new contribution arrived: if the time-out has doubled, it restarts undoubled.
  void progressed(Psn psn, Entry& entry, Time now);

  /// Adds a gradient to the entry of its task.
  void collect(Frame&& frame, Time now);
  /// The entry of the task. A new entry waits from now on: it may have been opened by a late copy,
  /// or by workers that have the result since, and then no worker sends the rest unasked.
  Entry& open(Psn psn, std::uint32_t aggregator_index, Time now);
  /// Sends the entry's values as the result, with `flags`, and closes the entry.
  void complete(Entries::iterator found, std::uint8_t flags, Time now);
  void send(Frame&& frame);
  /// Asks the workers that are not in `have` for their fragments.
  void request(Psn psn, const Entry& entry, const WorkerSet& have, std::uint8_t flags = 0);
  /// As request(), with a separate frame for each worker.
  void request_from_each(Psn psn, const Entry& entry, const WorkerSet& have,
                         std::uint8_t flags = 0);
  Frame control(FrameKind kind, Psn psn, const Entry& entry) const;
  bool has_everyone(const WorkerSet& workers) const { return workers.count() == identity_.workers; }

  ServerIdentity identity_;
  Branches branches_;
  Entries entries_;
  RecentPsnSet completed_;
  ServerStatistics statistics_;

 private:
  struct Waiting {
    Psn psn;
    Time since;
    BOOST_DESCRIBE_CLASS(Waiting, (), (psn, since), (), ())
  };

  using Queue = GrowingRing<Waiting>;  // in the order of time

  bool stale(const Waiting& waiting) const;
  Time due(std::size_t doublings) const;
  void expire_queue(std::size_t doublings, Time now);
  bool has(Psn psn) const { return identity_.servers.of(psn) == identity_.host; }
  bool is_of_worker(const Frame& frame) const;
  Frame request_of(Psn psn, const Entry& entry, const WorkerSet& have,
                   const wire::AggregationPath& path, std::uint8_t flags) const;
  bool is_of_job(const Frame& frame) const;
  bool gradient_is_of_job(const Frame& frame) const;
  void receive_gradient(Frame&& frame, Time now);
  Merge merge(Frame& frame, Entry& entry);

  BOOST_DESCRIBE_CLASS(ParameterServer, (), (), (entries_, completed_), (outbox_, waiting_))

  std::uint16_t result_bytes_;
  GrowingRing<Frame> outbox_;
  // Queues by the number of doublings of the time-out. Entries that are gone, or wait in another
  // queue, remain until they are reached.
  std::vector<Queue> waiting_ = std::vector<Queue>(1);
};

}  // namespace ina
